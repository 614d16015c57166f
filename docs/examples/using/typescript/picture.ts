// Prints amount and transRef of a slip's picture. BASE_URL=… API_KEY=… node picture.ts SUBMISSION FILE
import { openAsBlob } from "node:fs"
import { makeSlipTrail } from "sliptrail/client"

const { API_KEY = "", BASE_URL = "" } = process.env
const [submission = "", file = ""] = process.argv.slice(2)
const slipTrail = makeSlipTrail({ baseUrl: BASE_URL, apiKey: API_KEY })

const { amountInSlip, rawSlip } = await slipTrail.verify(
  { image: await openAsBlob(file) },
  { idempotencyKey: submission }
)
process.stdout.write(`${amountInSlip} ${rawSlip.transRef}\n`)
