import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { type Asset, assetOf, storeContent, type StoredContent, textAsset } from "./assets.ts"

/** A font that pages load: its style sheet, and the files that the sheet names. */
export interface Font {
  readonly style: Asset
  readonly files: ReadonlyArray<Asset>
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

const contentOf = (file: string): StoredContent =>
  storeContent("font/ttf", readFileSync(require.resolve(`@expo-google-fonts/ibm-plex-sans-thai/${file}`)))

/** The files are read and compressed once for all pages. */
const stored = new Map<string, StoredContent>()

const readFont = (base: string, file: string): Asset => {
  const content = stored.get(file) ?? contentOf(file)
  stored.set(file, content)
  return assetOf(base, file.slice(file.lastIndexOf("/") + 1), content)
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
  return { style: textAsset(base, "thai-font.css", "text/css", faces.join("")), files }
}
