import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import type { LogVerdict } from "../../../application/log-proof/verify-log/verify-log.ts"
import { newSlip } from "../../support/client.ts"
import { run } from "../../support/in-process.ts"
import { eventually } from "../../support/eventually.ts"
import { startLoad } from "../../support/load.ts"
import { ADMIN_TOKEN } from "../../support/service.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"

describe("the signed log of several processes", () => {
  it.live("is one chain for all signers, and is verified from the event store", function* () {
    const engines = yield* startSharedEngines
    const env = { ...engines.env, CHECKPOINT_EVENTS: "10", CHECKPOINT_INTERVAL: "200 millis" }
    const verify = Effect.map(run(["trail", "verify", "--json"], env), ({ code, stderr, stdout }) => {
      assert.include([0, 1, 3], code, stderr)
      const verdict: LogVerdict = JSON.parse(stdout)
      assert.deepStrictEqual(verdict.findings, [])
      return verdict
    })
    const first = yield* engines.service(env)
    const second = yield* engines.service(env)
    const { mainBranch } = yield* second.createService()
    const load = yield* startLoad(() => [first, second], mainBranch.apiKey)
    yield* load.more(30)
    const before = yield* eventually(verify, ({ covered }) => covered > 30)
    // Kills one of the two. It may or may not be the signer.
    yield* first.stop("SIGKILL")
    yield* load.more(30)
    yield* load.stop
    const after = yield* eventually(verify, ({ uncovered }) => uncovered === 0)
    assert.isAbove(after.checkpoint?.number ?? 0, before.checkpoint?.number ?? 0)
    assert.lengthOf(Object.keys(after.signedBy), 1)
    const id = load.answers.find(({ status }) => status === 200)?.verificationId ?? ""
    const proof = yield* run(["trail", "prove", "--verification", id], env)
    assert.strictEqual(proof.code, 0, proof.stderr)
    assert.strictEqual(yield* second.stop("SIGTERM"), 0)

    const keyless = yield* engines.service({ ...env, SIGNING_KEY: "" })
    const output = Effect.sync(() => Object.values(keyless.output()).join(""))
    yield* eventually(output, (text) => text.includes("The log is not signed: set SIGNING_KEY"))
    assert.strictEqual(yield* keyless.stop("SIGTERM"), 0)
  })

  it.live("is never signed without a signing key, and trail prove says so", function* () {
    const engines = yield* startSharedEngines
    const env = { ...engines.env, SIGNING_KEY: "", ADMIN_TOKEN }
    const service = yield* engines.service(env)
    const { mainBranch } = yield* service.createService()
    const { data: { verificationId } } = yield* service.verify(mainBranch.apiKey, newSlip().payload)
    const here = yield* run(["trail", "prove", "--verification", verificationId], env)
    assert.strictEqual(here.code, 1)
    assert.match(here.stderr, /SIGNING_KEY is not set: nothing will ever be signed or proven\. Set SIGNING_KEY/u)
    const answer = yield* service.admin("GET", `/trail/proof?verification=${verificationId}`)
    assert.deepStrictEqual([answer.status, answer.error?.code], [404, "PROOF_PENDING"])
    assert.include(answer.text, "nothing will ever be signed or proven")
    assert.strictEqual(yield* service.stop("SIGTERM"), 0)
  })
})
