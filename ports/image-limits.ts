// Loaded by the reading threads, which do not load effect: it takes 50 MB in each.

/** Most bytes of a picture (docs/spec/http.md, "Images"). */
export const MAX_IMAGE_BYTES = 4_194_304

/** Most pixels of a picture (docs/spec/http.md, "Images"). */
export const MAX_IMAGE_PIXELS = 25_000_000

/**
 * Most pixels of a side of a picture (docs/spec/http.md, "Images"). Decoders hold some rows: 2 GB of a picture of
 * 25 000 000 × 1 pixels.
 */
export const MAX_IMAGE_SIDE = 16_384
