import { assert, layer } from "../support/it.ts"
import { layerSamples, runSample, samples } from "./given-samples.ts"

/** One operation for each kind of request: bodies, files, forms, paths and queries. */
const operations = ["verifyBank", "verifyBankBatch", "getJob", "v1VerifyPayload"]
const chosen = samples.filter(({ operationId }) => operations.includes(operationId))

layer.live(layerSamples)("the samples of the reference", (it) => {
  it.effect.each(chosen.map((request) => [`${request.operationId} ${request.title}`, request] as const))(
    "%s: succeed in every language",
    ([, request]) => runSample(request)
  )

  it("exist for each kind of request", () => {
    assert.deepStrictEqual(
      chosen.map(({ body, operationId }) => `${operationId} ${body?.type ?? ""}`),
      [
        "verifyBank json",
        "verifyBank multipart",
        "verifyBank urlencoded",
        "verifyBankBatch json",
        "getJob ",
        "v1VerifyPayload "
      ]
    )
  })
})
