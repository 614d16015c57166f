/**
 * The name space of a read model: a projection that changes gets a new version and so is built anew beside the old one.
 */
export const modelName = (model: { readonly name: string; readonly version: number }): string =>
  `${model.name}.v${model.version}`

/** The name space in which a read model is built anew while the one in force goes on (`ReadModels.promote`). */
export const shadowName = (model: string): string => `${model}${BESIDE}`

/** The model that something is built beside of; a model's own name otherwise. */
export const placeOf = (model: string): string => model.endsWith(BESIDE) ? model.slice(0, -BESIDE.length) : model

const BESIDE = "~beside"
