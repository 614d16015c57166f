/**
 * The name space of a read model: a projection that changes gets a new version and so is built anew beside the old one.
 */
export const modelName = (model: { readonly name: string; readonly version: number }): string =>
  `${model.name}.v${model.version}`
