// Says whether the money went to our account. BASE_URL=… API_KEY=… node account.ts PAYLOAD BANK_CODE BANK_NUMBER NAME
import { makeSlipTrail, type NewBankAccount, SlipTrailError } from "sliptrail/client"

const { API_KEY = "", BASE_URL = "" } = process.env
const [payload = "", bankCode = "", bankNumber = "", nameTh = ""] = process.argv.slice(2)
const slipTrail = makeSlipTrail({ baseUrl: BASE_URL, apiKey: API_KEY })

/** The second registration answers BANK_ACCOUNT_DUPLICATE. */
const register = async (account: NewBankAccount): Promise<void> => {
  try {
    await slipTrail.bankAccounts.create(account)
  } catch (error) {
    if (!(error instanceof SlipTrailError) || error.code !== "BANK_ACCOUNT_DUPLICATE") throw error
  }
}

await register({ bankCode, bankNumber, nameTh })
const { match, matchedAccount } = await slipTrail.verify({ payload, matchAccount: true })
process.stdout.write(
  matchedAccount === null
    ? `not to us: ${match?.reasons.join("; ") ?? ""}\n`
    : `to our account ${matchedAccount.bankNumber}\n`
)
