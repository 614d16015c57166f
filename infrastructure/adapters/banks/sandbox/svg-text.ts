import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"

export type Weight = "regular" | "medium" | "bold"

/** A line of text as SVG path data. */
export interface Line {
  /** In font units, y upwards, baseline at 0. Multiply x by `scale` and y by minus `scale`. */
  readonly glyphs: ReadonlyArray<{ readonly path: string; readonly x: number; readonly y: number }>
  readonly scale: number
  /** In pixels. */
  readonly width: number
}

export interface Typeface {
  /** Shapes a text at a size in pixels. Throws a RangeError for a character that the font does not have. */
  readonly line: (text: string, size: number, weight: Weight) => Line
}

/**
 * Loads IBM Plex Sans Thai. Text becomes outlines: HarfBuzz positions vowels and tone marks, and the picture does not
 * depend on the fonts of the machine.
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

/** HarfBuzz shapes one script at a time: Thai text shaped as Latin loses its mark positions. */
const runsOf = (text: string): ReadonlyArray<string> => text.match(/[\u0E00-\u0E7F]+|[^\u0E00-\u0E7F]+/gu) ?? []

export interface TextStyle {
  readonly size: number
  readonly fill: string
  readonly weight?: Weight
  /** The end of the line that `x` positions; `start` when absent. */
  readonly anchor?: "start" | "middle" | "end"
  /** A wider line is scaled down to this width in pixels. */
  readonly maxWidth?: number
}

/** Draws a line of text as SVG. `y` is the baseline. */
export type DrawText = (text: string, x: number, y: number, style: TextStyle) => string

export const drawTextWith = (typeface: Typeface): DrawText => (text, x, y, style) => {
  const { anchor = "start", fill, maxWidth = Infinity, weight = "regular" } = style
  const line = typeface.line(text, style.size, weight)
  const shrink = Math.min(1, maxWidth / line.width)
  const scale = round(line.scale * shrink)
  const width = line.width * shrink
  const left = x - (anchor === "end" ? width : anchor === "middle" ? width / 2 : 0)
  const glyphs = line.glyphs.map((glyph) => `<path transform="translate(${glyph.x} ${glyph.y})" d="${glyph.path}"/>`)
  return `<g fill="${fill}" transform="translate(${round(left)} ${y}) scale(${scale} ${-scale})">${glyphs.join("")}</g>`
}

const round = (number: number): number => Math.round(number * 1e5) / 1e5

export const box = (x: number, y: number, width: number, height: number, radius: number, attributes: string): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" ${attributes}/>`

export const disc = (x: number, y: number, radius: number, attributes: string): string =>
  `<circle cx="${x}" cy="${y}" r="${radius}" ${attributes}/>`

export const stroke = (path: string, attributes: string): string =>
  `<path d="${path}" fill="none" stroke-linecap="round" stroke-linejoin="round" ${attributes}/>`
