import { assert, describe, it } from "../../support/it.ts"
import { Effect, Redacted } from "effect"
import { accounts, streamOf } from "../../../domain/events/aggregates.ts"
import { contactPurpose } from "../../../application/provisioning/directory.ts"
import { layerVault } from "../../../infrastructure/adapters/keys/vault.ts"
import { layerEventStoreDb } from "../../../infrastructure/adapters/stores/eventstoredb/store.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { Vault } from "../../../ports/vault.ts"
import { someEvent } from "../../support/event-fixtures.ts"
import { eventually } from "../../support/eventually.ts"
import { run, runJson } from "../../support/in-process.ts"
import { type Env } from "../../support/service.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { examine, messagesAbout } from "../../infrastructure/commands/doctor/examined.ts"

const ACCOUNT = "5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d"

/** Registers an account as a version did that bound values to their purpose only. */
const registerBefore = Effect.fnUntraced(function* (env: Env, accountId: string) {
  const contact = yield* Vault.use(({ seal }) => seal(contactPurpose, JSON.stringify({ name: "Somchai", email: null })))
    .pipe(
      Effect.provide(layerVault(Redacted.make(Buffer.from(env["MASTER_KEY"] ?? "", "base64"))))
    )
  const { data, type } = accounts.codec.encode({ _tag: "AccountRegistered", accountId, contact })
  yield* EventStore.use(({ append }) =>
    append(streamOf.account(accountId), "no-stream", [someEvent(accountId, type, data)])
  ).pipe(Effect.provide(layerEventStoreDb({ connectionString: Redacted.make(env["EVENTSTORE_URL"] ?? "") })))
})

describe("sealed values of a log that several processes share", () => {
  it.live("open beside processes of an earlier version, until an operator runs reseal", function* () {
    const { env, service } = yield* startSharedEngines
    yield* registerBefore(env, ACCOUNT)
    const first = yield* service()
    const output = Effect.sync(() => Object.values(first.output()).join(""))
    assert.include(yield* output, "When no process of an earlier version runs on this log, run: sliptrail reseal")
    // A process of the earlier version still runs.
    const late = "6b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d"
    yield* registerBefore(env, late)
    for (const id of [ACCOUNT, late]) {
      assert.strictEqual((yield* runJson(["account", "show", id], env)).name, "Somchai")
    }
    const { warnings } = yield* examine(env)
    assert.match(messagesAbout(warnings, "sealed values"), /may open in other records/u)

    assert.deepStrictEqual(yield* runJson(["reseal"], env), {
      resealed: { webhookSecrets: 0, bankAccounts: 0, contacts: 2 },
      unopened: []
    })
    const second = yield* service()
    assert.notInclude(Object.values(second.output()).join(""), "sliptrail reseal")
    const after = "7b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d"
    yield* registerBefore(env, after)
    for (const { call } of [first, second]) {
      const shown = (id: string) => call("GET", `/admin/v1/accounts/${id}`, { key: "the-admin-token-of-a-test" })
      assert.strictEqual((yield* shown(ACCOUNT)).status, 200)
      yield* eventually(shown(after), ({ status }) => status === 500)
    }
    assert.strictEqual((yield* run(["account", "show", after], env)).code, 2)
    assert.match(
      messagesAbout((yield* examine(env)).warnings, "sealed values"),
      /0 webhook secrets, 0 bank accounts and 1 contacts/u
    )
    for (const process of [first, second]) assert.strictEqual(yield* process.stop("SIGTERM"), 0)
  })
})
