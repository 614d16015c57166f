import { assert, describe, it } from "../../support/it.ts"
import { ConfigProvider, Effect, Exit, Layer } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { BankAccounts } from "../../../application/bank-accounts/list-bank-accounts.ts"
import { registerBankAccount } from "../../../application/bank-accounts/register-bank-account.ts"
import { makeWebhookKeys } from "../../../application/callbacks/webhook-keys.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { createService } from "../../../application/provisioning/services.ts"
import { streamOf } from "../../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { fieldsOf } from "../../../domain/bank-account/fields.ts"
import { isBound, isSealed, type Sealed } from "../../../domain/sealed.ts"
import { modelsFile } from "../../../infrastructure/runtime/data-folder.ts"
import { layerEngines } from "../../../infrastructure/runtime/engines.ts"
import { readSettings } from "../../../infrastructure/platform/settings/settings.ts"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { run, runJson } from "../../support/in-process.ts"
import {
  asSealedBefore,
  eventsOfFolder,
  forgeEvent,
  layerOfFolder,
  removeModels,
  sealedBefore
} from "../../support/sealed-before.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { examine, messagesAbout } from "../commands/doctor/examined.ts"

const operation = { actor: { kind: "admin", id: "cli" }, correlationId: "test" } as const

const account = (bankNumber: string) => fieldsOf({ bankCode: "004", bankNumber, nameTh: "ร้าน" })

/** A data folder with two services, each with a bank account. `start` opens it as a service does. */
const given = Effect.gen(function* () {
  const env = { DATA_DIR: join(yield* temporaryFolder, "data") }
  const settings = yield* readSettings.parse(ConfigProvider.fromEnvRecord(env))
  const layer = layerEngines(settings)
  const start = <A, E>(
    use: Effect.Effect<A, E, Layer.Success<typeof layer>>
  ) => Effect.scoped(Effect.provide(use, Layer.fresh(layer)))

  const shop = Effect.fnUntraced(function* (name: string, accountId: string, bankNumber: string) {
    const { accountId: ownerId, id: serviceId, mainBranch: { id: branchId } } = yield* createService(
      { name, plan: "standard", quota: null, accountId: undefined, expiresAt: null },
      operation
    )
    yield* registerBankAccount({ accountId, branchId, serviceId, fields: account(bankNumber) }, operation)
    return { ownerId, serviceId, branchId, accountId }
  })
  const shops = yield* start(Effect.all({
    a: shop("Shop A", "11111111-1111-4111-8111-111111111111", "1111111111"),
    b: shop("Shop B", "22222222-2222-4222-8222-222222222222", "2222222222")
  }))
  const events = eventsOfFolder(env.DATA_DIR)
  /** The newest sealed value of a field in streams whose names begin so, and its event. */
  const newest = (stream: string, name: string) =>
    Effect.map(events, (all) => {
      const event = all.findLast((each) => each.stream.startsWith(stream) && isSealed(each.data[name]))
        ?? assert.fail(`${stream} has no ${name}`)
      const sealed: Sealed = sealedOf(event)[0] ?? assert.fail(`${stream} has no ${name}`)
      return { event, sealed }
    })
  return { ...shops, env, folder: env.DATA_DIR, start, events, newest }
})

type Given = Effect.Success<typeof given>

const numbersOf = (branchId: string) =>
  Effect.flatMap(
    BankAccounts,
    ({ activeOf }) => Effect.map(activeOf(branchId), (found) => found.map(({ bankNumber }) => bankNumber))
  )

const contactOf = (ownerId: string) =>
  Effect.flatMap(Directory, ({ account }) => Effect.map(account(ownerId), (found) => found?.name))

const keysOf = (branchId: string) => makeWebhookKeys()(branchId)

/** What an owner of both shops sees. */
const seen = ({ a, b }: Pick<Given, "a" | "b">) =>
  Effect.all({
    numbers: Effect.all([numbersOf(a.branchId), numbersOf(b.branchId)]),
    contacts: Effect.all([contactOf(a.ownerId), contactOf(b.ownerId)]),
    secrets: Effect.map(
      Effect.all([keysOf(a.branchId), keysOf(b.branchId)]),
      (keys) => keys.map(({ length }) => length)
    )
  })

const everything: Effect.Success<ReturnType<typeof seen>> = {
  numbers: [["1111111111"], ["2222222222"]],
  contacts: ["Shop A", "Shop B"],
  secrets: [1, 1]
}

const sealedOf = ({ data }: RecordedEvent): ReadonlyArray<Sealed> => Object.values(data).filter(isSealed)

const isMarker = ({ type }: RecordedEvent) => type === "SealedValuesBound"

/** The three sealed values of shop A, and the events of shop B into which a person with access to the file copies them. */
const copies = ({ a, b }: Pick<Given, "a" | "b">) =>
  [
    {
      what: "webhook secret",
      from: streamOf.branch(a.branchId),
      name: "secret",
      into: (sealed: Sealed, _: string) => ({
        stream: streamOf.branch(b.branchId),
        type: "WebhookSecretRotated",
        data: { secret: sealed, effectiveAt: "2026-11-28T00:00:00.000Z", previousExpiresAt: null }
      }),
      open: Effect.asVoid(keysOf(b.branchId))
    },
    {
      what: "contact",
      from: streamOf.account(a.ownerId),
      name: "contact",
      into: (sealed: Sealed, _: string) => ({
        stream: streamOf.account(b.ownerId),
        type: "AccountContactResealed",
        data: { contact: sealed }
      }),
      open: Effect.asVoid(contactOf(b.ownerId))
    },
    {
      what: "bank account",
      from: `bankAccount-${a.serviceId}-`,
      name: "details",
      into: (sealed: Sealed, stream: string) => ({
        stream,
        type: "BankAccountChanged",
        data: { accountId: b.accountId, at: "2026-11-28T00:00:00.000Z", details: sealed, type: null, extraVerify: null }
      }),
      open: Effect.asVoid(numbersOf(b.branchId))
    }
  ] as const

describe("sealed values and their records", () => {
  it.live("a new log has bound values from its first event, and needs no marker", function* () {
    const shops = yield* given
    assert.deepStrictEqual(yield* shops.start(seen(shops)), everything)
    const all = yield* shops.events
    assert.isAtLeast(all.flatMap(sealedOf).length, 6)
    for (const sealed of all.flatMap(sealedOf)) assert.isTrue(isBound(sealed))
    assert.lengthOf(all.filter(isMarker), 0)
    assert.match(messagesAbout((yield* examine(shops.env)).findings, "sealed values"), /own record only/u)
  })

  it.live("the first start on a log of an earlier version marks it once, and everything opens", function* () {
    const shops = yield* given
    yield* asSealedBefore(shops.folder)
    const before = yield* shops.events
    for (const sealed of before.flatMap(sealedOf)) assert.isFalse(isBound(sealed))
    assert.match((yield* run(["trail", "show", "--branch", shops.a.branchId], shops.env)).stdout, /Webhook secret/u)
    for (let starts = 0; starts < 2; starts++) assert.deepStrictEqual(yield* shops.start(seen(shops)), everything)
    const after = yield* shops.events
    assert.deepStrictEqual(after.slice(0, before.length), before)
    assert.deepStrictEqual(after.slice(before.length).map(({ type }) => type), ["SealedValuesBound"])
  })

  for (const index of [0, 1, 2]) {
    const name = ["webhook secret", "contact", "bank account"][index]
    it.live(`a ${name} that an earlier version sealed does not open in an event after the marker`, function* () {
      const shops = yield* given
      const copy = copies(shops)[index] ?? assert.fail("unknown copy")
      const target = yield* shops.newest(`bankAccount-${shops.b.serviceId}-`, "details")
      yield* asSealedBefore(shops.folder)
      yield* shops.start(copy.open)
      const { sealed } = yield* shops.newest(copy.from, copy.name)
      forgeEvent(shops.folder, copy.into(sealed, target.event.stream))
      removeModels(shops.folder)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(shops.start(copy.open))))
    })

    it.live(`a ${name} of one record does not open in another one, with and without the mark of its format`, function* () {
      const shops = yield* given
      const copy = copies(shops)[index] ?? assert.fail("unknown copy")
      const target = yield* shops.newest(`bankAccount-${shops.b.serviceId}-`, "details")
      const { sealed } = yield* shops.newest(copy.from, copy.name)
      for (const c of [sealed.c, sealed.c.slice(2)]) {
        forgeEvent(shops.folder, copy.into({ ...sealed, c }, target.event.stream))
        removeModels(shops.folder)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(shops.start(copy.open))))
      }
    })
  }

  it.live.each([0, -1])(
    "a secret that an earlier version sealed does not open in an event at position %i",
    function* (position) {
      const shops = yield* given
      const [copy] = copies(shops)
      yield* asSealedBefore(shops.folder)
      yield* shops.start(copy.open)
      const { sealed } = yield* shops.newest(copy.from, copy.name)
      forgeEvent(shops.folder, { ...copy.into(sealed, ""), position })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(shops.start(copy.open))))
    }
  )

  it.live("a sealed value that was copied into a row of another record does not open, bound or not", function* () {
    const shops = yield* given
    const { event, sealed } = yield* shops.newest(`bankAccount-${shops.a.serviceId}-`, "details")
    const unbound = yield* sealedBefore(event, "details", sealed).pipe(Effect.provide(layerOfFolder(shops.folder)))
    for (const copied of [sealed, unbound]) {
      const database = new DatabaseSync(modelsFile(shops.folder))
      const { changes } = database.prepare(
        "UPDATE rows SET fields = json_set(fields, '$.details', json(?)) WHERE tbl = 'accounts' AND key = ?"
      ).run(JSON.stringify(copied), shops.b.accountId)
      database.close()
      assert.strictEqual(Number(changes), 1)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(shops.start(numbersOf(shops.b.branchId)))))
    }
  })

  it.live("reseal writes secrets and accounts anew, once, and the doctor counts what is left", function* () {
    const shops = yield* given
    yield* asSealedBefore(shops.folder)
    yield* shops.start(seen(shops))
    assert.match(
      messagesAbout((yield* examine(shops.env)).warnings, "sealed values"),
      /2 webhook secrets, 2 bank accounts and 2 contacts/u
    )
    const before = yield* shops.events
    assert.deepStrictEqual(yield* runJson(["reseal"], shops.env), {
      resealed: { webhookSecrets: 2, bankAccounts: 2, contacts: 2 },
      unopened: []
    })
    const written = (yield* shops.events).slice(before.length)
    for (const sealed of written.flatMap(sealedOf)) assert.isTrue(isBound(sealed))
    assert.deepStrictEqual(written.map(({ type }) => type).sort(), [
      "AccountContactResealed",
      "AccountContactResealed",
      "BankAccountResealed",
      "BankAccountResealed",
      "WebhookSecretResealed",
      "WebhookSecretResealed"
    ])
    assert.deepStrictEqual(yield* shops.start(seen(shops)), everything)
    assert.deepStrictEqual((yield* runJson(["reseal"], shops.env)).resealed, {
      webhookSecrets: 0,
      bankAccounts: 0,
      contacts: 0
    })
    assert.strictEqual((yield* shops.events).length, before.length + written.length)
    assert.match(messagesAbout((yield* examine(shops.env)).findings, "sealed values"), /own record only/u)
  })

  it.live("reseal names a value that does not open, writes the others, and ends with 1", function* () {
    const shops = yield* given
    yield* asSealedBefore(shops.folder)
    yield* shops.start(Effect.void)
    const [copy] = copies(shops)
    const { sealed } = yield* shops.newest(copy.from, copy.name)
    forgeEvent(shops.folder, copy.into(sealed, ""))
    removeModels(shops.folder)
    const { code, stdout } = yield* run(["reseal"], shops.env)
    assert.strictEqual(code, 1)
    assert.include(stdout, `the webhook secret of branch ${shops.b.branchId} does not open: unbound`)
    assert.include(stdout, "1 webhook secret, 2 bank accounts and 2 contacts of account owners sealed anew")
  })

  it.live("slips, remarks and jobs of an earlier version open, and erasing them still works", function* () {
    const env = { DATA_DIR: join(yield* temporaryFolder, "data") }
    const slip = newSlip()
    const key = yield* Effect.gen(function* () {
      const { createService, verify } = yield* RunningService
      const { mainBranch } = yield* createService()
      yield* verify(mainBranch.apiKey, { payload: slip.payload, remark: "order 42" })
      return mainBranch.apiKey
    }).pipe(Effect.provide(layerRunningService(env)))
    yield* asSealedBefore(env.DATA_DIR)
    yield* Effect.gen(function* () {
      const { call, verify } = yield* RunningService
      const { data, status, text } = yield* verify(key, { payload: slip.payload, remark: "order 43" })
      assert.strictEqual(status, 200, text)
      assert.include(text, slip.transRef)
      assert.isTrue(data.isDuplicate)
      yield* eventually(
        Effect.map(call("GET", "/v2/verifications", { key }), ({ text }) => text),
        (text) => text.includes("order 42") && text.includes("order 43")
      )
    }).pipe(Effect.provide(layerRunningService(env)))
    const shown = yield* run(["trail", "show", "--slip", `${slip.sendingBank}:${slip.transRef}`, "--reveal"], env)
    assert.include(shown.stdout, "order 42")
    assert.include(shown.stdout, "order 43")
    yield* runJson(["trail", "forget", "--slip", `${slip.sendingBank}:${slip.transRef}`], env)
    const erased = yield* run(["trail", "show", "--slip", `${slip.sendingBank}:${slip.transRef}`, "--reveal"], env)
    assert.notInclude(erased.stdout, "order 42")
    assert.notInclude(erased.stdout, "order 43")
  })
})
