import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { gzipSync } from "node:zlib"
import { type Asset, assetPath, textAsset } from "./assets.ts"

/** A font file, and the same file compressed with gzip: half the size. */
export interface FontFile {
  readonly path: string
  readonly contentType: string
  readonly content: Uint8Array
  readonly compressed: Uint8Array
}

/** A font that pages load: its style sheet, and the files that the sheet names. */
export interface Font {
  readonly style: Asset
  readonly files: ReadonlyArray<FontFile>
}

/** The name of the Thai font in style sheets. */
export const THAI_FONT = "SlipTrail Thai"

/** The Thai block, joiners, and the circle below a vowel that stands alone. */
const THAI_LETTERS = "U+0E00-0E7F, U+200B-200D, U+25CC"

const weights = [
  { weights: "100 500", file: "400Regular/IBMPlexSansThai_400Regular.ttf" },
  { weights: "501 900", file: "700Bold/IBMPlexSansThai_700Bold.ttf" }
] as const

const require = createRequire(import.meta.url)

/** Compressing once costs milliseconds, and every page of a new browser 60 kB less for each file. */
const readFont = (base: string, file: string): FontFile => {
  const content = readFileSync(require.resolve(`@expo-google-fonts/ibm-plex-sans-thai/${file}`))
  const name = file.slice(file.lastIndexOf("/") + 1)
  return {
    path: assetPath(base, name, content),
    contentType: "font/ttf",
    content,
    compressed: gzipSync(content, { level: 9 })
  }
}

/**
 * IBM Plex Sans Thai (SIL Open Font License 1.1) for pages below `base`, such as `/console`. A browser loads a file when
 * a page shows a Thai letter for which `THAI_FONT` is the first available font of the style sheet. Other letters keep
 * the fonts of the machine.
 */
export const thaiFont = (base: string): Font => {
  const files = weights.map(({ file, weights }) => ({ ...readFont(base, file), weights }))
  const faces = files.map(({ path, weights }) =>
    `@font-face { font-family: "${THAI_FONT}"; font-weight: ${weights}; font-display: swap; `
    + `src: url("${path}") format("truetype"); unicode-range: ${THAI_LETTERS}; }\n`
  )
  return { style: textAsset(base, "thai-font.css", faces.join(""), "text/css"), files }
}
