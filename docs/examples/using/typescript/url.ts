// Prints amount and transRef of the slip at a URL. BASE_URL=… API_KEY=… node url.ts SUBMISSION URL
import { makeSlipTrail } from "sliptrail/client"

const { API_KEY = "", BASE_URL = "" } = process.env
const [submission = "", url = ""] = process.argv.slice(2)
const slipTrail = makeSlipTrail({ baseUrl: BASE_URL, apiKey: API_KEY })

const { amountInSlip, rawSlip } = await slipTrail.verify({ url }, { idempotencyKey: submission })
process.stdout.write(`${amountInSlip} ${rawSlip.transRef}\n`)
