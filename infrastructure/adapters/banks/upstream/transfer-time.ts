import { transferTimeHint } from "../../../../domain/slip/transfer-time.ts"
import type { SlipQuestion } from "../../../../ports/bank-gateway.ts"

const BANGKOK_OFFSET_MILLIS = 7 * 3_600_000
const TOLERANCE_MILLIS = 5 * 60_000

/**
 * Whether a vendor wrote a time of Bangkok as UTC, or the reverse: the time is seven hours from the one in the reference
 * (docs/banks.md, "Times in references"). `at` in milliseconds since 1970.
 */
export const contradictsReference = (
  at: number,
  { sendingBank, transRef }: Pick<SlipQuestion, "sendingBank" | "transRef">
): boolean => {
  const hint = transferTimeHint(sendingBank, transRef, at + BANGKOK_OFFSET_MILLIS)
  return hint !== undefined && Math.abs(Math.abs(at - hint) - BANGKOK_OFFSET_MILLIS) <= TOLERANCE_MILLIS
}
