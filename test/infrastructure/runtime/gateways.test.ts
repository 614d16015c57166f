import { assert, describe, it } from "../../support/it.ts"
import { ConfigProvider, Effect } from "effect"
import { createPrivateKey } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { bankGateways } from "../../../infrastructure/runtime/external-layers.ts"
import { readSettings } from "../../../infrastructure/platform/settings/settings.ts"
import { makeClient } from "../../support/banks/client-certificate.ts"
import type { Env } from "../../support/service.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const gatewaysOf = Effect.fnUntraced(function* (env: Env) {
  return yield* bankGateways(yield* readSettings.parse(ConfigProvider.fromEnvRecord(env)))
})

const scb = { BANK_GATEWAYS: "scb", SCB_API_KEY: "key-of-a-test", SCB_API_SECRET: "secret-of-a-test" }
const kbank = { BANK_GATEWAYS: "kbank", KBANK_CONSUMER_ID: "id-of-a-test", KBANK_CONSUMER_SECRET: "secret-of-a-test" }
const easyslip = { BANK_GATEWAYS: "easyslip", EASYSLIP_API_KEY: "key-of-a-test" }
const slipok = { BANK_GATEWAYS: "slipok", SLIPOK_BRANCH_ID: "48151623", SLIPOK_API_KEY: "key-of-a-test" }
const slip2go = { BANK_GATEWAYS: "slip2go", SLIP2GO_API_SECRET: "secret-of-a-test" }
const rdcw = { BANK_GATEWAYS: "rdcw", RDCW_CLIENT_ID: "id-of-a-test", RDCW_CLIENT_SECRET: "secret-of-a-test" }
const kbankTest = { ...kbank, KBANK_TEST_MODE: "true" }

/** Files of a client certificate, its key, the same key encrypted, another key and invalid PEM. */
const givenFiles = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const write = (name: string, text: string) => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  }
  const { certificate } = yield* makeClient
  const other = yield* makeClient
  const encrypted = createPrivateKey(certificate.key)
    .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "the-passphrase" }).toString()
  return {
    KBANK_CERT_FILE: write("client.pem", certificate.cert),
    KBANK_KEY_FILE: write("client.key", certificate.key),
    encrypted: write("encrypted.key", encrypted),
    another: write("another.key", other.certificate.key),
    nonsense: write("nonsense.pem", "no PEM at all")
  }
})

describe("the gateways of BANK_GATEWAYS", () => {
  it.effect("are in the order of the setting", function* () {
    const gateways = yield* gatewaysOf({
      ...scb,
      ...kbankTest,
      ...easyslip,
      ...slipok,
      ...slip2go,
      ...rdcw,
      THUNDER_API_KEY: "another-key-of-a-test",
      BANK_GATEWAYS: "thunder,kbank, sandbox,scb,easyslip,rdcw,slip2go,slipok"
    })
    assert.deepStrictEqual(
      gateways.map(({ name }) => name),
      ["thunder", "kbank", "sandbox", "scb", "easyslip", "rdcw", "slip2go", "slipok"]
    )
    assert.deepStrictEqual((yield* gatewaysOf({})).map(({ name }) => name), ["sandbox"])
  })

  it.effect.each(
    [
      [{ BANK_GATEWAYS: "moon" }, /^BANK_GATEWAYS contains "moon", which is not one of sandbox, scb, kbank, easyslip/u],
      [{ BANK_GATEWAYS: "SCB" }, /^BANK_GATEWAYS contains "SCB"/u],
      [{ BANK_GATEWAYS: "toString" }, /^BANK_GATEWAYS contains "toString"/u],
      [{ BANK_GATEWAYS: "sandbox,scb,sandbox" }, /^BANK_GATEWAYS names sandbox twice$/u],
      [{ BANK_GATEWAYS: "," }, /^BANK_GATEWAYS is empty/u],
      [{ BANK_GATEWAYS: "scb" }, /^SCB_API_KEY is missing: .*remove scb from BANK_GATEWAYS$/u],
      [{ ...scb, SCB_API_SECRET: "" }, /^SCB_API_SECRET is missing/u],
      [{ ...scb, SCB_API_KEY: "with space" }, /^SCB_API_KEY must be printable ASCII/u],
      [{ ...scb, SCB_BASE_URL: "http://api.partners.scb" }, /^SCB_BASE_URL must begin with https:/u],
      [{ ...scb, SCB_SENDING_BANKS: "014,SCB" }, /^SCB_SENDING_BANKS contains "SCB", which is not a bank code$/u],
      [{ ...scb, EGRESS_CA_FILE: "/nowhere/ca.pem" }, /^EGRESS_CA_FILE: \/nowhere\/ca\.pem cannot be read$/u],
      [
        { ...easyslip, ...scb, BANK_GATEWAYS: "scb,easyslip", BANK_GATEWAY_ORDER: "price" },
        /^EASYSLIP_PRICE is missing: BANK_GATEWAY_ORDER=price needs the price of each vendor in BANK_GATEWAYS$/u
      ],
      [{ BANK_GATEWAYS: "easyslip" }, /^EASYSLIP_API_KEY is missing: .*remove easyslip from BANK_GATEWAYS$/u],
      [{ ...easyslip, EASYSLIP_API_KEY: "key of-a-test" }, /^EASYSLIP_API_KEY must be printable ASCII/u],
      [{ ...easyslip, EASYSLIP_BASE_URL: "http://api.easyslip.com/v2" }, /^EASYSLIP_BASE_URL must begin with https:/u],
      [
        { ...easyslip, EASYSLIP_SENDING_BANKS: "4" },
        /^EASYSLIP_SENDING_BANKS contains "4", which is not a bank code$/u
      ],
      [{ BANK_GATEWAYS: "thunder", THUNDER_API_KEY: "" }, /^THUNDER_API_KEY is missing/u],
      [{ ...slipok, SLIPOK_BRANCH_ID: "" }, /^SLIPOK_BRANCH_ID is missing: .*remove slipok from BANK_GATEWAYS$/u],
      [{ ...slipok, SLIPOK_BRANCH_ID: "../48" }, /^SLIPOK_BRANCH_ID must be a number: copy the id/u],
      [{ ...slipok, SLIPOK_API_KEY: "" }, /^SLIPOK_API_KEY is missing/u],
      [{ ...slip2go, SLIP2GO_API_SECRET: "" }, /^SLIP2GO_API_SECRET is missing/u],
      [{ ...slip2go, SLIP2GO_BASE_URL: "slip2go" }, /^SLIP2GO_BASE_URL is not a URL$/u],
      [{ ...rdcw, RDCW_CLIENT_ID: "" }, /^RDCW_CLIENT_ID is missing/u],
      [{ ...rdcw, RDCW_CLIENT_SECRET: "a b" }, /^RDCW_CLIENT_SECRET must be printable ASCII/u],
      [{ BANK_GATEWAYS: "kbank" }, /^KBANK_CONSUMER_ID is missing/u],
      [{ ...kbank, KBANK_CONSUMER_SECRET: "" }, /^KBANK_CONSUMER_SECRET is missing/u],
      [kbank, /^KBANK_CERT_FILE is missing/u],
      [{ ...kbank, KBANK_CERT_FILE: "/nowhere/client.pem" }, /^KBANK_KEY_FILE is missing/u],
      [{ ...kbankTest, KBANK_KEY_FILE: "/nowhere/client.key" }, /^KBANK_CERT_FILE is missing/u],
      [{ ...kbankTest, KBANK_BASE_URL: "kasikornbank" }, /^KBANK_BASE_URL is not a URL$/u],
      [{ ...kbankTest, KBANK_SENDING_BANKS: "PROMPTPAY" }, /^KBANK_SENDING_BANKS contains "PROMPTPAY"/u],
      [{ ...kbankTest, KBANK_NOT_FOUND_CODES: "0000" }, /^KBANK_NOT_FOUND_CODES contains 0000/u],
      [{ ...kbankTest, KBANK_PENDING_CODES: "not a code" }, /^KBANK_PENDING_CODES contains "not a code"/u],
      [
        { ...kbankTest, KBANK_NOT_FOUND_CODES: "4004", KBANK_PENDING_CODES: "4004" },
        /^KBANK_PENDING_CODES contains 4004/u
      ]
    ] as ReadonlyArray<readonly [Env, RegExp]>
  )("are refused for %o with the name of the setting", function* ([env, message]) {
    const error = yield* Effect.flip(gatewaysOf(env))
    assert.match("message" in error ? error.message : "", message)
    assert.notInclude(JSON.stringify(error), "of-a-test")
  })

  it.effect("refuse invalid numbers, durations and flags with the name of the setting", function* () {
    for (const bank of ["SCB", "KBANK", "EASYSLIP", "THUNDER"]) {
      for (const value of ["0", "many"]) {
        const name = `${bank}_CONCURRENCY`
        assert.include(String(yield* Effect.flip(gatewaysOf({ [name]: value }))), name)
      }
      for (const value of ["0 seconds", "4"]) {
        const name = `${bank}_TIMEOUT`
        assert.include(String(yield* Effect.flip(gatewaysOf({ [name]: value }))), name)
      }
    }
    for (const value of ["-1", "cheap"]) {
      assert.include(String(yield* Effect.flip(gatewaysOf({ EASYSLIP_PRICE: value }))), "EASYSLIP_PRICE")
    }
    assert.include(String(yield* Effect.flip(gatewaysOf({ BANK_GATEWAY_ORDER: "cheap" }))), "BANK_GATEWAY_ORDER")
    const [gateway] = yield* gatewaysOf({ ...easyslip, EASYSLIP_PRICE: "0.40", BANK_GATEWAY_ORDER: "price" })
    assert.strictEqual(gateway?.status(0).price, 0.4)
    assert.include(String(yield* Effect.flip(gatewaysOf({ KBANK_TEST_MODE: "maybe" }))), "KBANK_TEST_MODE")
  })

  it.effect("load a client certificate for KBank, also with an encrypted key", function* () {
    const { encrypted, KBANK_CERT_FILE, KBANK_KEY_FILE } = yield* givenFiles
    const open = yield* gatewaysOf({ ...kbank, KBANK_CERT_FILE, KBANK_KEY_FILE })
    const env = { ...kbank, KBANK_CERT_FILE, KBANK_KEY_FILE: encrypted, KBANK_KEY_PASSPHRASE: "the-passphrase" }
    assert.lengthOf([...open, ...yield* gatewaysOf(env)], 2)
  })

  it.effect("are refused for an invalid certificate or key with the name of the setting", function* () {
    const { another, encrypted, nonsense, ...files } = yield* givenFiles
    const cases = [
      [{ KBANK_CERT_FILE: `${files.KBANK_CERT_FILE}.gone` }, /^KBANK_CERT_FILE .* cannot be read$/u],
      [{ KBANK_KEY_FILE: `${files.KBANK_KEY_FILE}.gone` }, /^KBANK_KEY_FILE .* cannot be read$/u],
      [{ KBANK_CERT_FILE: nonsense }, /^KBANK_CERT_FILE .* holds no certificate in PEM$/u],
      [{ KBANK_KEY_FILE: nonsense }, /^KBANK_KEY_FILE .* holds no private key in PEM$/u],
      [{ KBANK_KEY_FILE: another }, /^KBANK_KEY_FILE .* is not the key of the certificate in /u],
      [{ KBANK_KEY_FILE: encrypted }, /^KBANK_KEY_PASSPHRASE is missing: the key in .* is encrypted$/u],
      [
        { KBANK_KEY_FILE: encrypted, KBANK_KEY_PASSPHRASE: "wrong" },
        /^KBANK_KEY_PASSPHRASE does not decrypt the key /u
      ]
    ] as ReadonlyArray<readonly [Env, RegExp]>
    for (const [env, message] of cases) {
      const error = yield* Effect.flip(gatewaysOf({ ...kbank, ...files, ...env }))
      assert.match("message" in error ? error.message : "", message)
    }
  })
})
