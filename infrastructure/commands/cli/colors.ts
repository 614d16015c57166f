import { GlobalFlag } from "effect/cli"
import { styleText } from "node:util"
import { switchFlag } from "./flags.ts"

const NO_COLOR = "no-color"

/** `--no-color`. It counts also for errors that are printed after the command has ended, so `isColored` reads it. */
export const NoColorFlag = GlobalFlag.Setting(NO_COLOR)({
  flag: switchFlag(NO_COLOR, "Print no colors, like NO_COLOR; without a terminal there are none")
})

/** What a color means. The text says the same, so nothing is lost in black and white. */
export type Tone = "good" | "caution" | "bad" | "heading"

const formats = { good: "green", caution: "yellow", bad: "red", heading: "bold" } as const

interface Output {
  readonly isTTY?: boolean
}

interface Wishes {
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Whether text for this output has colors: a terminal only, unless its user wishes none. */
export const isColored = (
  { isTTY }: Output,
  { args, env }: Wishes = { args: process.argv, env: process.env }
): boolean => isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb" && !args.includes(`--${NO_COLOR}`)

/** The text in the color of its meaning, for an output with colors. */
export const painted = (tone: Tone | undefined, text: string, output: Output = process.stdout): string =>
  tone === undefined || !isColored(output) ? text : styleText(formats[tone], text, { validateStream: false })

/** A cell of a table with a meaning. */
export interface Toned {
  readonly text: string
  readonly tone: Tone | undefined
}

export const toned = (tone: Tone | undefined, text: string): Toned => ({ text, tone })
