import * as Result from "effect/Result"
import { parseSlipPayload, type SlipPayload } from "../../domain/slip/payload.ts"

/** What the QR codes of a picture said; plain values that can cross to another thread. */
export interface Findings {
  readonly slip: SlipPayload | undefined
  readonly texts: ReadonlyArray<string>
}

/** Collects QR texts over several looks at a picture. An advertisement's code beside the slip's is the normal case. */
export interface Notes {
  /** Takes down what one look saw; true once a slip is among all that was seen. */
  readonly add: (texts: ReadonlyArray<string>) => boolean
  /** Whether anything was seen yet. */
  readonly hasText: () => boolean
  readonly findings: () => Findings
}

export const makeNotes = (): Notes => {
  const texts: Array<string> = []
  let slip: SlipPayload | undefined
  return {
    add: (seen) => {
      for (const text of seen) {
        if (text === "" || texts.includes(text)) continue
        texts.push(text)
        slip ??= Result.getOrUndefined(parseSlipPayload(text))
      }
      return slip !== undefined
    },
    hasText: () => texts.length > 0,
    findings: () => ({ slip, texts })
  }
}
