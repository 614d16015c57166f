/** Most bytes of a picture that is looked at ("4MB" of the specification, Limits). */
export const MAX_IMAGE_BYTES = 4_194_304

/** Most pixels of a picture that is decoded (contract, Limits). */
export const MAX_IMAGE_PIXELS = 25_000_000
