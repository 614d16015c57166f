import { findBank } from "../../../domain/bank.ts"
import type { Receiver } from "../../../domain/slip/transfer.ts"

/** A bank as slips name it; for a code that is on no list, the code alone. */
export const partyBank = (code: string): Receiver["bank"] => {
  const bank = findBank(code)
  return { id: code, name: bank?.nameTh ?? "", short: bank?.shortCode ?? "" }
}
