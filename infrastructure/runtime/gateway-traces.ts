import type { Exit } from "effect"
import { inSpan, type Told } from "../../ports/tracing.ts"
import type { Gateway } from "../banks/upstream/gateway.ts"

/** A gateway whose questions stand in traces. Which slip was asked about is not told, nor is the bank told of the trace. */
export const inTraces = (gateway: Gateway): Gateway => ({
  ...gateway,
  verify: (question) =>
    inSpan(
      {
        name: `${gateway.name} verify`,
        kind: "client",
        attributes: { "peer.service": gateway.name, "sliptrail.sending_bank": question.sendingBank },
        tell: toldOf
      },
      gateway.verify(question)
    )
})

const toldOf = (exit: Exit.Exit<Answered, never>): Told => {
  if (exit._tag === "Failure") return { error: "defect" }
  const { _tag } = exit.value.answer
  return { attributes: { "sliptrail.answer": _tag }, error: _tag === "Unavailable" ? _tag : undefined }
}

type Answered = { readonly answer: { readonly _tag: string } }
