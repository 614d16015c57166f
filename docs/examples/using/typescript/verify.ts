// Says whether an order was paid. BASE_URL=… API_KEY=… node verify.ts SUBMISSION PAYLOAD AMOUNT
import { makeSlipTrail, SlipTrailError } from "sliptrail/client"

const { API_KEY = "", BASE_URL = "" } = process.env
const [submission = "", payload = "", amount = ""] = process.argv.slice(2)
const slipTrail = makeSlipTrail({ baseUrl: BASE_URL, apiKey: API_KEY })

const checkOrder = async (): Promise<string> => {
  try {
    const request = { payload, matchAmount: Number(amount) }
    const { isAmountMatched, isDuplicate } = await slipTrail.verify(request, { idempotencyKey: submission })
    if (isDuplicate) return "used before"
    return isAmountMatched === true ? "paid" : "another amount"
  } catch (error) {
    // SLIP_NOT_FOUND: no such transfer. SLIP_PENDING: retry after error.retryAfterSeconds.
    if (error instanceof SlipTrailError) return error.code
    throw error
  }
}

process.stdout.write(`${await checkOrder()}\n`)
