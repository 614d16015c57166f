import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { settingsFor, startReceiver } from "../../infrastructure/commands/cli/given-jobs.ts"
import { newSlip } from "../../support/client.ts"
import { sliptrail } from "../../support/command.ts"
import { eventually } from "../../support/eventually.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

interface JobView {
  readonly callback: { readonly state: string }
}

describe("sliptrail callbacks on shared stores", () => {
  it.live("lets the running service redeliver callbacks immediately", function* () {
    const engines = yield* startSharedEngines
    const receiver = yield* startReceiver
    const service = yield* engines.service(settingsFor(receiver))
    const { mainBranch: { apiKey: key } } = yield* service.createService()
    receiver.answers(410)
    const { data: { jobId } } = yield* eventually(
      service.call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", {
        key,
        body: { payload: newSlip().payload, callbackUrl: receiver.url }
      }),
      ({ status }) => status === 202
    )
    const state = Effect.map(
      service.call<JobView>("GET", `/v2/verify/bank/jobs/${jobId}`, { key }),
      ({ data }) => data.callback.state
    )
    yield* eventually(state, (current) => current === "rejected")

    receiver.answers(200)
    const cwd = yield* temporaryFolder
    const host = new URL(receiver.url).host
    const command = yield* sliptrail(["callbacks", "redeliver", "--host", host, "--json"], { cwd, env: engines.env })
    assert.deepStrictEqual(
      { code: command.code, stdout: JSON.parse(command.stdout) },
      { code: 0, stdout: { redelivered: 1 } },
      command.stderr
    )
    yield* eventually(state, (current) => current === "delivered")
    assert.deepStrictEqual(receiver.arrivals.map(({ status }) => status), [410, 200])

    const list = yield* sliptrail(["jobs", "list", "--state", "success", "--json"], { cwd, env: engines.env })
    assert.deepInclude(JSON.parse(list.stdout)[0], { jobId })
  })
})
