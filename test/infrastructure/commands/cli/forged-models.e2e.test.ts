import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { eventually } from "../../../support/eventually.ts"
import { openForForgery } from "../../../support/forge-file.ts"
import { run } from "../../../support/in-process.ts"
import { newSlip } from "../../../support/client.ts"
import { layerRunningService, RunningService } from "../../../support/service.ts"
import { givenDecisions } from "./given-decisions.ts"

type Given = Effect.Success<typeof givenDecisions>

const forge = ({ file }: Given, sql: string) =>
  Effect.sync(() => {
    const db = openForForgery(file("models.db"))
    db.exec(sql)
    db.close()
  })

const inModel = (name: string) => `generation = (SELECT generation FROM models WHERE name LIKE '${name}.v%')`
const ofSet = (name: string, like: string) =>
  `set_id IN (SELECT id FROM sets WHERE ${inModel(name)} AND name LIKE '${like}')`

const REVOKED = `UPDATE rows SET fields = json_set(fields, '$.revoked', json('false')) WHERE ${inModel("branches")}
  AND tbl = 'keys' AND fields ->> '$.revoked' = 1`

interface Forgery {
  readonly what: string
  /** Forgeries of one round are made together. */
  readonly round: 1 | 2 | 3
  readonly sql: string
  readonly model: string
  /** A finding. */
  readonly says: RegExp
}

const forgeries: ReadonlyArray<Forgery> = [
  {
    what: "a revoked key that works again",
    round: 1,
    sql: REVOKED,
    model: "branches",
    says: /the row [\da-f]{32} of keys says \{"revoked":false\}; the log says \{"revoked":true\}/u
  },
  {
    what: "a key of a person",
    round: 1,
    sql: `INSERT INTO rows SELECT generation, tbl, 'forged', fields FROM rows WHERE ${
      inModel("branches")
    } AND tbl = 'keys' LIMIT 1`,
    model: "branches",
    says: /the row forged of keys says \{.*\}, but no event explains it/u
  },
  {
    what: "a key that is missing",
    round: 2,
    sql: `DELETE FROM rows WHERE ${inModel("branches")} AND tbl = 'keys' AND fields ->> '$.revoked' = 1`,
    model: "branches",
    says: /the row [\da-f]{32} of keys is missing; the log says \{.*"revoked":true/u
  },
  {
    what: "another quota",
    round: 1,
    sql: `UPDATE rows SET fields = json_set(fields, '$.quota', 99) WHERE ${inModel("branches")} AND tbl = 'branches'
      AND fields ->> '$.quota' = 3`,
    model: "branches",
    says: /of branches says \{"quota":99\}; the log says \{"quota":3\}/u
  },
  {
    what: "a policy that accepts more",
    round: 2,
    sql: `UPDATE rows SET fields = json_set(fields, '$.policy', null) WHERE ${
      inModel("branches")
    } AND tbl = 'branches'`,
    model: "branches",
    says: /of branches says \{"policy":null\}; the log says \{"policy":\{"conditions":\{"amount":\{"atMost"/u
  },
  {
    what: "fewer units than were charged",
    round: 2,
    sql: `DELETE FROM scored WHERE ${ofSet("quota", "month:%")}; DELETE FROM members WHERE ${ofSet("quota", "month:%")};
      UPDATE sets SET size = 0 WHERE ${inModel("quota")} AND name LIKE 'month:%'`,
    model: "quota",
    says: /the set month:\S+ lacks \S+ at \d+, which the log has/u
  },
  {
    what: "a smaller number of charged units",
    round: 1,
    sql: `UPDATE sets SET size = 0 WHERE ${inModel("quota")} AND name LIKE 'month:%'`,
    model: "quota",
    says: /the set month:\S+ counts 0 members; the log says 3/u
  },
  {
    what: "units that were never charged",
    round: 3,
    sql: `INSERT INTO scored SELECT set_id, 1, 'forged' FROM scored WHERE ${ofSet("quota", "month:%")} LIMIT 1`,
    model: "quota",
    says: /the set month:\S+ has forged at 1, but no event explains it/u
  },
  {
    what: "an account that was deactivated",
    round: 1,
    sql: `UPDATE rows SET fields = json_set(fields, '$.active', json('true')) WHERE ${inModel("bank-accounts")}`,
    model: "bank-accounts",
    says: /of accounts says \{"active":true\}; the log says \{"active":false\}/u
  },
  {
    what: "another receiving account for a branch",
    round: 1,
    sql: `INSERT INTO scored SELECT set_id, 1, 'forged' FROM scored WHERE ${
      ofSet("bank-accounts", "%:active")
    } LIMIT 1`,
    model: "bank-accounts",
    says: /the set branch:\S+:active has forged at 1, but no event explains it/u
  },
  {
    what: "members in one of their two orders only",
    round: 2,
    sql: `DELETE FROM members WHERE ${ofSet("bank-accounts", "branch:%")}`,
    model: "bank-accounts",
    says: /the set branch:\S+ lacks \S+ at \d+, which the log has/u
  },
  {
    what: "a slip that was never verified",
    round: 1,
    sql: `DELETE FROM scored WHERE ${ofSet("duplicates", "slips")}`,
    model: "duplicates",
    says: /the set slips lacks \S+ \S+ at 0, which the log has/u
  },
  {
    what: "a position that skips events",
    round: 3,
    sql: `${REVOKED}; UPDATE models SET position = '1/1' WHERE name LIKE 'quota.v%'`,
    model: "quota",
    says: /the set month:\S+ has \S+ at \d+, but no event explains it/u
  }
]

/** Each with a part of the finding. */
const foreign: ReadonlyArray<readonly [what: string, sql: string, says: string]> = [
  [
    "a covering index",
    "CREATE INDEX shadow ON rows(generation, tbl, key, fields)",
    "the index shadow is in the file, but SlipTrail did not create it"
  ],
  [
    "a trigger",
    "CREATE TRIGGER keep AFTER UPDATE ON rows BEGIN UPDATE rows SET fields = old.fields WHERE key = old.key; END",
    "the trigger keep is in the file, but SlipTrail did not create it"
  ],
  [
    "an index with the entries of another table",
    `CREATE TABLE forged(generation INTEGER NOT NULL, tbl TEXT NOT NULL, key TEXT NOT NULL, fields TEXT NOT NULL,
       PRIMARY KEY(generation, tbl, key)) STRICT;
     INSERT INTO forged SELECT generation, tbl, key || 'x', fields FROM rows;
     PRAGMA writable_schema = ON;
     UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_forged_1')
       WHERE name = 'sqlite_autoindex_rows_1';
     DELETE FROM sqlite_schema WHERE tbl_name = 'forged';
     PRAGMA writable_schema = RESET`,
    "sqlite_autoindex_rows_1"
  ]
]

const verified = (given: Given) => run(["trail", "verify"], given.env)
const examined = (given: Given) => run(["doctor"], { ...given.env, RATE_LIMIT: "0" })

describe("read models that were forged", () => {
  it.live("are no findings of an untouched folder, also while a service runs", function* () {
    const given = yield* givenDecisions
    const atRest = yield* verified(given)
    assert.strictEqual(atRest.code, 0, atRest.stdout + atRest.stderr)
    const doctor = yield* examined(given)
    assert.include(doctor.stdout, "branches, bank-accounts, quota, duplicates follow from the log")
    yield* Effect.gen(function* () {
      const { logs } = yield* RunningService
      const running = yield* verified(given)
      assert.strictEqual(running.code, 0, running.stdout + running.stderr)
      assert.notInclude(logs.join("\n"), "differs from the log")
    }).pipe(Effect.provide(layerRunningService(given.env)))
  })

  it.live.each([1, 2, 3])(
    "are found by trail verify and doctor, with the row and the command that mends them: %d",
    function* (round) {
      const given = yield* givenDecisions
      const made = forgeries.filter((forgery) => forgery.round === round)
      for (const { sql } of made) yield* forge(given, sql)
      const verify = yield* verified(given)
      assert.strictEqual(verify.code, 1, verify.stdout)
      assert.match(verify.stderr, /^sliptrail: the read models differ from the log: \d+ findings?$/mu)
      const doctor = yield* examined(given)
      assert.strictEqual(doctor.code, 1)
      for (const { model, says, what } of made) {
        assert.match(verify.stdout, says, what)
        assert.include(verify.stdout, `the read model ${model} differs from the log`, what)
        assert.include(verify.stdout, `rebuild it with: sliptrail projections rebuild ${model}`, what)
        assert.match(doctor.stdout, says, what)
      }
      for (const model of new Set(made.map(({ model }) => model))) {
        assert.strictEqual((yield* run(["projections", "rebuild", model], given.env)).code, 0)
      }
      // The third round changed two models in one step.
      if (round === 3) yield* run(["projections", "rebuild", "branches"], given.env)
      const after = yield* verified(given)
      assert.strictEqual(after.code, 0, after.stdout)
    }
  )

  it.live.each([1, 2])("are built again at the start when keys, accounts or policies differ: %d", function* (round) {
    const given = yield* givenDecisions
    // The order of the members by name is not compared at the start.
    const made = forgeries.filter(({ model, round: of, sql }) =>
      of === round && ["branches", "bank-accounts"].includes(model) && !sql.startsWith("DELETE FROM members")
    )
    for (const { sql } of made) yield* forge(given, sql)
    yield* Effect.gen(function* () {
      const { call, logs, verify } = yield* RunningService
      const log = logs.join("\n").replaceAll('\\"', '"')
      for (const { model, says, what } of made) {
        assert.match(log, says, what)
        assert.include(log, `sliptrail projections rebuild ${model}`, what)
      }
      const refused = yield* eventually(
        call("GET", "/v2/info", { key: given.revokedKey }),
        ({ status }) => status !== 500
      )
      assert.strictEqual(refused.status, 401, refused.text)
      const fourth = yield* verify(given.key, newSlip().payload)
      assert.strictEqual(fourth.error?.code, "QUOTA_EXCEEDED", fourth.text)
      const again = yield* verify(given.key, given.slip)
      assert.deepInclude(again.data, { isDuplicate: true }, again.text)
    }).pipe(Effect.provide(layerRunningService(given.env)))
    const after = yield* verified(given)
    assert.strictEqual(after.code, 0, after.stdout)
  })

  it.live("leave more charges in the log than the quota allows, which trail verify finds", function* () {
    const given = yield* givenDecisions
    yield* forge(given, `UPDATE sets SET size = 0 WHERE ${inModel("quota")} AND name LIKE 'month:%'`)
    assert.strictEqual((yield* run(["projections", "compare", "quota"], given.env)).code, 1)
    yield* Effect.gen(function* () {
      const { verify } = yield* RunningService
      assert.strictEqual((yield* verify(given.key, newSlip().payload)).status, 200)
    }).pipe(Effect.provide(layerRunningService(given.env)))
    yield* run(["projections", "rebuild", "quota"], given.env)
    const { code, stderr, stdout } = yield* verified(given)
    assert.strictEqual(code, 1, stdout)
    assert.strictEqual(stderr, "sliptrail: the log has more charges than a quota allows: 1 finding")
    assert.match(
      stdout,
      new RegExp(
        `the branch ${given.branchId} was charged 4 units in 20\\d\\d-\\d\\d, but its quota allowed 3: the first`,
        "u"
      )
    )
  })

  it.live("are found by their file, and built again at the start from the log", function* () {
    for (const [what, sql, says] of foreign) {
      const given = yield* givenDecisions
      yield* forge(given, sql)
      const verify = yield* verified(given)
      assert.strictEqual(verify.code, 1, `${what}: ${verify.stdout}`)
      assert.include(verify.stdout, says)
      const doctor = yield* examined(given)
      assert.strictEqual(doctor.code, 1, what)
      assert.include(doctor.stdout, says)
      yield* Effect.gen(function* () {
        const { call } = yield* RunningService
        assert.strictEqual((yield* call("GET", "/v2/info", { key: given.revokedKey })).status, 401, what)
      }).pipe(Effect.provide(layerRunningService(given.env)))
      const after = yield* verified(given)
      assert.strictEqual(after.code, 0, `${what}: ${after.stdout}`)
    }
  })
})
