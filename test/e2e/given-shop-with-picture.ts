import { Context, Effect, Layer } from "effect"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { newSlip } from "../support/client.ts"
import { type Env, layerRunningService, RunningService } from "../support/service.ts"

/** One branch without a quota limit, and the picture of one slip, shared by the tests of a file. */
export class Shop extends Context.Service<Shop, {
  readonly key: string
  readonly png: Buffer<ArrayBuffer>
  readonly transRef: string
}>()("test/Shop") {}

export const layerShop = (env: Env = {}) =>
  Layer.effect(
    Shop,
    Effect.gen(function* () {
      const { mainBranch } = yield* (yield* RunningService).createService()
      const slip = newSlip()
      return Shop.of({
        key: mainBranch.apiKey,
        png: Buffer.from(yield* drawSandboxSlip(slip)),
        transRef: slip.transRef
      })
    })
  ).pipe(Layer.provideMerge(layerRunningService(env)))
