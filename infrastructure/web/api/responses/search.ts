import { Schema } from "effect"
import { verificationFields } from "./reading.ts"
import { Id, Time } from "../../../../application/views/values.ts"

const { verificationId: _, ...summary } = verificationFields

/** A verification for operators. It has no personal data. */
export const VerificationSummary = Schema.Struct({
  verificationId: Id,
  ...summary,
  outcome: Schema.String.annotate({ description: "`verified`, `duplicate`, or the code of the failure." }),
  branchId: Id,
  serviceId: Schema.NullOr(Id)
}).annotate({ identifier: "VerificationSummary" })

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
  verification: Schema.NullOr(VerificationSummary).annotate({ description: "Of a hit by reference, amount or remark." })
}).annotate({ identifier: "SearchHit" })

/** What a search found (docs/spec/http.md, "Search"). */
export const SearchResult = Schema.Struct({
  text: Schema.String.annotate({ description: "What was searched." }),
  groups: Schema.Array(
    Schema.Struct({
      by: Schema.Literals(["id", "request", "slip", "reference", "tail", "name", "host", "amount", "remark"]).annotate({
        description: "How the text was read. `tail`: as the last six characters of a reference."
      }),
      hits: Schema.Array(Hit).annotate({ description: "The newest first, at most 20." }),
      isComplete: Schema.Boolean.annotate({ description: "Whether there are no further hits." }),
      searchedBackTo: Schema.NullOr(Time).annotate({
        description: "The time back to which verifications were searched; null when all were."
      })
    })
  ).annotate({ description: "One for each way in which the text was read, also without hits." })
}).annotate({ identifier: "SearchResult" })
