import { Schema } from "effect"
import { OperatorVerification } from "./verification.ts"
import { Id, Time } from "./values.ts"

/** Something that a search found. */
const Hit = Schema.Struct({
  kind: Schema.Literals([
    "service",
    "branch",
    "bankAccount",
    "job",
    "batch",
    "verification",
    "slip",
    "request",
    "callbackHost"
  ]),
  id: Schema.String.annotate({ description: "An id; `BANK:REFERENCE` for a slip, and the name of a host." }),
  name: Schema.NullOr(Schema.String).annotate({ description: "Of a service or a branch." }),
  serviceId: Schema.NullOr(Id).annotate({ description: "The service of a branch." }),
  verification: Schema.NullOr(OperatorVerification).annotate({
    description: "Of a hit by reference, amount or remark."
  })
}).annotate({ identifier: "SearchHit" })
export type Hit = typeof Hit.Type

/** One way to read the text, and what was found by it. */
const HitGroup = Schema.Struct({
  by: Schema.Literals(["id", "request", "slip", "reference", "tail", "name", "host", "amount", "remark"]).annotate({
    description: "How the text was read. `tail`: as the last six characters of a reference."
  }),
  hits: Schema.Array(Hit).annotate({ description: "The newest first, at most 20." }),
  isComplete: Schema.Boolean.annotate({ description: "Whether there are no further hits." }),
  searchedBackTo: Schema.NullOr(Time).annotate({
    description: "The time back to which verifications were searched; null when all were."
  })
})
export type HitGroup = typeof HitGroup.Type

/** What a search found (docs/spec/http.md, "Search"). */
export const Found = Schema.Struct({
  text: Schema.String.annotate({ description: "What was searched." }),
  groups: Schema.Array(HitGroup).annotate({
    description: "One for each way in which the text was read, also without hits."
  })
}).annotate({ identifier: "SearchResult" })
export type Found = typeof Found.Type
