import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { sliptrail } from "../../support/command.ts"
import { eventually } from "../../support/eventually.ts"
import { startLoad } from "../../support/load.ts"
import type { SpawnedService } from "../../support/service.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { assertModelsEqual } from "../../support/shared-log.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

/** The state of a process's projector for the read model of branches. */
const projectorState = (service: SpawnedService) =>
  Effect.map(service.call("GET", "/metrics"), ({ text }) => {
    const state = (name: string) => text.includes(`{projection="branches",state="${name}"} 1`)
    return state("standby") ? "standby" : state("live") ? "live" : "neither"
  })

describe("several processes on shared stores", () => {
  it.live("run one projector at a time: another takes over after SIGSTOP or SIGTERM, and a late one does no harm", function* () {
    const engines = yield* startSharedEngines
    const first = yield* engines.service({ ROLES: "projector" })
    yield* eventually(projectorState(first), (state) => state === "live")
    const second = yield* engines.service({ ROLES: "projector" })
    yield* eventually(projectorState(second), (state) => state === "standby")
    const http = yield* engines.service({ ROLES: "http" })
    const { mainBranch } = yield* http.createService()
    const load = yield* startLoad(() => [http], mainBranch.apiKey)

    yield* load.more(20)
    yield* first.signal("SIGSTOP")
    yield* eventually(projectorState(second), (state) => state === "live")
    yield* load.more(20)
    yield* first.signal("SIGCONT")
    yield* eventually(projectorState(first), (state) => state === "standby")
    yield* load.more(20)

    assert.strictEqual(yield* second.stop("SIGTERM"), 0)
    yield* eventually(projectorState(first), (state) => state === "live")
    yield* load.more(20)
    yield* load.stop
    yield* assertModelsEqual(engines)
  })

  it.live("continue while the command line rebuilds and compares their read models", function* () {
    const engines = yield* startSharedEngines
    const service = yield* engines.service()
    const { id, mainBranch } = yield* service.createService()
    const load = yield* startLoad(() => [service], mainBranch.apiKey)
    const run = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
      const { code, stderr, stdout } = yield* sliptrail(args, { cwd: yield* temporaryFolder, env: engines.env })
      assert.strictEqual(code, 0, `${args.join(" ")}: ${stdout}${stderr}`)
      return stdout
    })

    yield* load.more(20)
    for (const name of ["branches", "quota", "duplicates"]) {
      assert.match(yield* run("projections", "rebuild", name), /was rebuilt/u)
    }
    yield* load.more(20)
    yield* assertModelsEqual(engines)
    assert.match(yield* run("projections", "list"), /duplicates\.v\d/u)
    assert.match(yield* run("service", "list"), new RegExp(id, "u"))
    yield* run("service", "ban", id)
    yield* eventually(service.call("GET", "/v2/info", { key: mainBranch.apiKey }), ({ status }) => status === 403)
    yield* load.stop
    const codes = new Set(load.answers.map(({ code }) => code))
    assert.isTrue([...codes].every((code) => code === undefined || code === "SERVICE_BANNED"), [...codes].join())
  })
})
