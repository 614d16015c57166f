import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"

export type Weight = "regular" | "medium" | "bold"

/** A line of text as SVG path data, and how wide it is. */
export interface Line {
  /** In font units, y upwards, the baseline at 0: to be scaled by `scale`, and by minus `scale` downwards. */
  readonly glyphs: ReadonlyArray<{ readonly path: string; readonly x: number; readonly y: number }>
  readonly scale: number
  /** In pixels. */
  readonly width: number
}

export interface Typeface {
  /** Sets a text at a size in pixels. Throws a RangeError for a character that the font does not have. */
  readonly line: (text: string, size: number, weight: Weight) => Line
}

/**
 * Loads IBM Plex Sans Thai. Text becomes outlines here: HarfBuzz puts vowels and tone marks where they belong, and
 * the picture is the same on every machine, whatever fonts it has or has not.
 */
export const loadTypeface = async (): Promise<Typeface> => {
  const hb = await import("harfbuzzjs")
  const load = async (weight: Weight) => {
    const face = new hb.Face(new hb.Blob(await readFile(require.resolve(files[weight]))))
    return { font: new hb.Font(face), upem: face.upem }
  }
  const fonts = { regular: await load("regular"), medium: await load("medium"), bold: await load("bold") }

  return {
    line: (text, size, weight) => {
      const { font, upem } = fonts[weight]
      const glyphs: Array<Line["glyphs"][number]> = []
      let pen = 0
      for (const run of runsOf(text)) {
        const buffer = new hb.Buffer()
        buffer.addText(run)
        buffer.guessSegmentProperties()
        hb.shape(font, buffer)
        const positions = buffer.getGlyphPositions()
        buffer.getGlyphInfos().forEach(({ codepoint: glyph }, index) => {
          if (glyph === 0) throw new RangeError(`the font has no glyph for a character of "${text}"`)
          const at = positions[index]
          if (at === undefined) return
          const path = font.glyphToPath(glyph)
          if (path !== "") glyphs.push({ path, x: pen + at.xOffset, y: at.yOffset })
          pen += at.xAdvance
        })
      }
      return { glyphs, scale: size / upem, width: (pen * size) / upem }
    }
  }
}

const require = createRequire(import.meta.url)

const files: Readonly<Record<Weight, string>> = {
  regular: "@expo-google-fonts/ibm-plex-sans-thai/400Regular/IBMPlexSansThai_400Regular.ttf",
  medium: "@expo-google-fonts/ibm-plex-sans-thai/500Medium/IBMPlexSansThai_500Medium.ttf",
  bold: "@expo-google-fonts/ibm-plex-sans-thai/700Bold/IBMPlexSansThai_700Bold.ttf"
}

/** HarfBuzz shapes one script at a time: Thai set as Latin would lose its mark positions. */
const runsOf = (text: string): ReadonlyArray<string> => text.match(/[\u0E00-\u0E7F]+|[^\u0E00-\u0E7F]+/gu) ?? []
