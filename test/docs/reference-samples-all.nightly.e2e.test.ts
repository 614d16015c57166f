import { adminSamples, layerSamples, runSample, samples } from "./given-samples.ts"
import { layer } from "../support/it.ts"

layer.live(layerSamples)("every sample of the reference", (it) => {
  it.effect.each(
    [...samples, ...adminSamples].map((request) => [`${request.operationId} ${request.title}`, request] as const)
  )(
    "%s: succeeds in every language",
    ([, request]) => runSample(request)
  )
})
