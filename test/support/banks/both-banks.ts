import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "../temporary-folder.ts"
import { testAuthority } from "../tls.ts"
import { makeClient } from "./client-certificate.ts"
import { kbankCredentials, startKbankBank } from "./kbank-bank.ts"
import { scbCredentials, startScbBank } from "./scb-bank.ts"

type Slips = ReadonlyMap<string, object>

/** KBank, which requires a client certificate, and SCB, each with its slips, and the settings for both. */
export const startBothBanks = Effect.fnUntraced(function* (slips: { readonly kbank: Slips; readonly scb: Slips }) {
  const { authority, certificate } = yield* makeClient
  const folder = yield* temporaryFolder
  const [certFile, keyFile] = [join(folder, "client.pem"), join(folder, "client.key")]
  writeFileSync(certFile, certificate.cert)
  writeFileSync(keyFile, certificate.key)
  const kbank = yield* startKbankBank({ slips: slips.kbank, clientAuthority: authority })
  const scb = yield* startScbBank({ slips: slips.scb })
  const env = {
    BANK_GATEWAYS: "kbank,scb",
    EGRESS_CA_FILE: testAuthority.file,
    KBANK_BASE_URL: kbank.url,
    KBANK_CONSUMER_ID: kbankCredentials.consumerId,
    KBANK_CONSUMER_SECRET: kbankCredentials.consumerSecret,
    KBANK_CERT_FILE: certFile,
    KBANK_KEY_FILE: keyFile,
    SCB_BASE_URL: `${scb.url}/partners`,
    SCB_API_KEY: scbCredentials.apiKey,
    SCB_API_SECRET: scbCredentials.apiSecret
  }
  return { env, kbank, scb }
})
