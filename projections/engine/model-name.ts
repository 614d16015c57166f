/** What identifies a read model. A projection that changes gets a new version: the model is then built anew. */
export interface ModelId {
  readonly name: string
  readonly version: number
}

/** The name space of a read model in the engine: models of two versions stand side by side. */
export const modelName = (model: ModelId): string => `${model.name}.v${model.version}`

/** The name space of the shadow model: a model is rebuilt there while the old one stays in force. */
export const shadowName = (model: string): string => `${model}${SHADOW}`

/** The model that a shadow model replaces; a model's own name otherwise. */
export const placeOf = (model: string): string => model.endsWith(SHADOW) ? model.slice(0, -SHADOW.length) : model

// A stored name: it stays.
const SHADOW = "~beside"
