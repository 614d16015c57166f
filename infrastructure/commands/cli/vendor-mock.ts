import { Clock, Console, DateTime, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { layerSlipReader } from "../../adapters/pictures/slip-reader.ts"
import { testServer } from "../receiver/identity.ts"
import { settings } from "../../platform/settings/settings.ts"
import { CONTROL_PATH } from "../vendor-mock/control.ts"
import { type Fault, faults } from "../vendor-mock/faults.ts"
import { type Exchange, makeVendorMock } from "../vendor-mock/mock.ts"
import type { VendorChanges } from "../vendor-mock/plan.ts"
import { serveVendorMock } from "../vendor-mock/server.ts"
import { settingsFor } from "../vendor-mock/settings.ts"
import { isVendor, vendors } from "../vendor-mock/vendors.ts"
import { cannotRun } from "./exit.ts"
import { jsonFlag, switchFlag } from "./flags.ts"
import { shellQuoted } from "./output.ts"
import { folderFlag, testIdentity } from "./test-identity.ts"
import { withoutAdminOperation } from "./target.ts"

const forVendor = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.atLeast(0))

/** Reads flags of the form VENDOR=VALUE. `toChanges` returns undefined for a wrong value. */
const changesOf = (
  name: string,
  texts: ReadonlyArray<string>,
  expected: string,
  toChanges: (value: string) => VendorChanges | undefined
) =>
  Effect.forEach(texts, (text) => {
    const [vendor = "", value = ""] = text.split("=", 2)
    const changes = isVendor(vendor) ? toChanges(value) : undefined
    return isVendor(vendor) && changes !== undefined ? Effect.succeed([vendor, changes] as const) : Effect.fail(
      cannotRun(`--${name}: Expected VENDOR=${expected} with a vendor of ${vendors.join(", ")}, got "${text}"`)
    )
  })

const isFault = (name: string): name is Fault => faults.some((fault) => fault === name)

const faultChanges = (value: string): VendorChanges | undefined => {
  const [fault = "", times] = value.split(":", 2)
  if (!isFault(fault) || (times !== undefined && !/^\d{1,9}$/u.test(times))) return undefined
  return { fault, times: times === undefined ? null : Number(times) }
}

const wholeNumber = (toChanges: (number: number) => VendorChanges) => (value: string): VendorChanges | undefined =>
  /^\d{1,9}$/u.test(value) ? toChanges(Number(value)) : undefined

const welcome = (control: string, environment: Readonly<Record<string, string>>): string =>
  [
    "Add these settings to .env, and name the vendors in BANK_GATEWAYS, for example BANK_GATEWAYS=easyslip,slipok:",
    "",
    ...Object.entries(environment).map(([name, value]) => `  ${name}=${shellQuoted(value)}`),
    "",
    "The vendors know the slips of sliptrail sandbox slip. Show what they were asked and what they charged, or show a",
    "fault:",
    "",
    `  curl -sk ${control}`,
    `  curl -sk -X PUT ${control} -d '{"easyslip":{"fault":"server-error","times":3}}'`,
    "",
    "Every request is printed below when it arrives. Stop with Ctrl-C.",
    ""
  ].join("\n")

const format = ({ asked, at, fault, reference, said, vendor }: Exchange & { readonly at: string }): string =>
  [
    at,
    vendor.padEnd("easyslip".length),
    asked.padEnd("WalletSlip".length),
    said.padEnd("quota-exhausted".length),
    reference || "-",
    ...fault === "none" ? [] : [`fault ${fault}`]
  ].join("  ")

const print = (json: boolean) => (exchange: Exchange) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const stamped = { at: DateTime.formatIso(DateTime.makeUnsafe(now)), ...exchange }
    return Console.log(json ? JSON.stringify(stamped) : format(stamped))
  })

export const vendorMock = Command.make(
  "vendor-mock",
  {
    port: Flag.Int("port").pipe(Flag.withDescription("Port to listen on; 0 picks a free port"), Flag.withDefault(9444)),
    plain: switchFlag("http", "Speak http instead of https"),
    faulty: forVendor("fault", `VENDOR=FAULT, or VENDOR=FAULT:TIMES; a fault is one of ${faults.join(", ")}`),
    delays: forVendor("delay", "VENDOR=MILLISECONDS before each answer"),
    quotas: forVendor("quota", "VENDOR=UNITS that are left"),
    folder: folderFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ delays, faulty, folder, json, plain, port, quotas }) {
    if (!(port >= 0 && port <= 65_535)) return yield* cannotRun(`--port: Expected 0 to 65535, got ${port}`)
    const changes = [
      ...yield* changesOf("fault", faulty, "FAULT or VENDOR=FAULT:TIMES", faultChanges),
      ...yield* changesOf("delay", delays, "MILLISECONDS", wholeNumber((delayMillis) => ({ delayMillis }))),
      ...yield* changesOf("quota", quotas, "UNITS", wholeNumber((remaining) => ({ account: { remaining } })))
    ]
    const trust = plain ? undefined : yield* testIdentity(folder)
    const mock = yield* makeVendorMock
    for (const [vendor, change] of changes) mock.change(vendor, change)
    const serve = Effect.gen(function* () {
      const bound = yield* Effect.mapError(
        serveVendorMock(mock, { identity: trust?.identity, host: testServer.address, port, onExchange: print(json) }),
        ({ message }) => cannotRun(`--port: ${message}`)
      )
      const origin = `${plain ? "http" : "https"}://${testServer.address}:${bound}`
      const control = origin + CONTROL_PATH
      const environment = {
        ...settingsFor(origin),
        ...(trust === undefined ? {} : { EGRESS_CA_FILE: trust.authorityFile })
      }
      yield* Console.log(json ? JSON.stringify({ control, settings: environment }) : welcome(control, environment))
      return yield* Effect.never
    })
    return yield* Effect.scoped(serve).pipe(
      Effect.provide(layerSlipReader({ reader: yield* settings.slipReader }))
    )
  })
).pipe(
  Command.withDescription("Stand in for EasySlip, Thunder, SlipOK, Slip2Go and RDCW on this machine, for tests"),
  withoutAdminOperation("nothing", "it is a server on this machine")
)
