/** Most bytes of a picture that is looked at (docs/spec/http.md, "Images"). */
export const MAX_IMAGE_BYTES = 4_194_304

/** Most pixels of a picture that is decoded (docs/spec/http.md, "Limits"). */
export const MAX_IMAGE_PIXELS = 25_000_000
