import type { Typeface, Weight } from "./typeface.ts"

export interface TextStyle {
  readonly size: number
  readonly fill: string
  readonly weight?: Weight
  /** Which end of the line `x` is; `start` when absent. */
  readonly anchor?: "start" | "middle" | "end"
  /** A line that is wider, in pixels, is set smaller until it fits. */
  readonly maxWidth?: number
}

/** Sets lines of text as SVG: `y` is the baseline. */
export type SetText = (text: string, x: number, y: number, style: TextStyle) => string

export const setTextWith = (typeface: Typeface): SetText => (text, x, y, style) => {
  const { anchor = "start", fill, maxWidth = Infinity, weight = "regular" } = style
  const wanted = typeface.line(text, style.size, weight)
  const shrink = Math.min(1, maxWidth / wanted.width)
  const scale = round(wanted.scale * shrink)
  const width = wanted.width * shrink
  const left = x - (anchor === "end" ? width : anchor === "middle" ? width / 2 : 0)
  const glyphs = wanted.glyphs.map((glyph) => `<path transform="translate(${glyph.x} ${glyph.y})" d="${glyph.path}"/>`)
  return `<g fill="${fill}" transform="translate(${round(left)} ${y}) scale(${scale} ${-scale})">${glyphs.join("")}</g>`
}

const round = (number: number): number => Math.round(number * 1e5) / 1e5

export const box = (x: number, y: number, width: number, height: number, radius: number, rest: string): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" ${rest}/>`

export const disc = (x: number, y: number, radius: number, rest: string): string =>
  `<circle cx="${x}" cy="${y}" r="${radius}" ${rest}/>`

export const stroke = (path: string, rest: string): string =>
  `<path d="${path}" fill="none" stroke-linecap="round" stroke-linejoin="round" ${rest}/>`
