import type { Layer } from "effect"
import type { UnchargedLimiter } from "../../ports/uncharged-limiter.ts"
import { layerRateLimiterMemory } from "../../infrastructure/adapters/stores/memory/coordination.ts"
import { type Allowances, layerUnchargedLimiter } from "../../infrastructure/runtime/uncharged-limits.ts"

/** The limiter of one process. Without allowances it refuses nothing. */
export const layerUnchargedLimiterMemory = (allowances: Partial<Allowances> = {}): Layer.Layer<UnchargedLimiter> =>
  layerUnchargedLimiter({ repeat: 0, failure: 0, ...allowances }, layerRateLimiterMemory)
