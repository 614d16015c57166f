import { describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { keyUse, KeyUseEvent } from "../../domain/key-use.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"

const used = (day: string): KeyUseEvent => ({ _tag: "ApiKeyUsed", keyDigest: "d", day })
const record = (day: string) => ({ _tag: "RecordUse", keyDigest: "d", day }) as const

describe("the use of a key", () => {
  it("is recorded once a day", () => {
    given(keyUse).when(record("2026-11-21")).then(used("2026-11-21"))
    given(keyUse, used("2026-11-21")).when(record("2026-11-21")).thenNothing()
    given(keyUse, used("2026-11-21")).when(record("2026-11-22")).then(used("2026-11-22"))
  })

  it("does not go back to an earlier day", () => {
    given(keyUse, used("2026-11-21")).when(record("2026-11-20")).thenNothing()
  })

  const Command = Schema.TaggedUnion({
    RecordUse: { keyDigest: Schema.Literal("d"), day: Schema.Literals(["2026-11-20", "2026-11-21", "2026-11-22"]) }
  })
  itObeysTheLaws(keyUse, KeyUseEvent, Arbitrary.schema(Command))
})
