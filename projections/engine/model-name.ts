/** Identifies a read model. A changed projection gets a new version, and its model is built from the beginning. */
export interface ModelId {
  readonly name: string
  readonly version: number
}

/** The name space of a read model in the engine. Models of two versions can exist side by side. */
export const modelName = (model: ModelId): string => `${model.name}.v${model.version}`

/** The name space of the shadow model, which is built while the live model serves reads. */
export const shadowName = (model: string): string => `${model}${SHADOW}`

/** The name of the model that a shadow model replaces; for another model, its own name. */
export const placeOf = (model: string): string => model.endsWith(SHADOW) ? model.slice(0, -SHADOW.length) : model

// Part of stored names: it must not change.
const SHADOW = "~beside"
