// Prints what was verified under a remark. BASE_URL=… API_KEY=… node history.ts REMARK
import { makeSlipTrail } from "sliptrail/client"

const { API_KEY = "", BASE_URL = "" } = process.env
const [remark = ""] = process.argv.slice(2)
const slipTrail = makeSlipTrail({ baseUrl: BASE_URL, apiKey: API_KEY })

for await (const { amount, outcome } of slipTrail.verifications.all({ remark, limit: 100 })) {
  process.stdout.write(`${outcome} ${amount ?? 0}\n`)
}
