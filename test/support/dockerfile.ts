import { readFileSync } from "node:fs"

export interface Instruction {
  /** `FROM`, `COPY`, … */
  readonly name: string
  /** Its arguments, on one line. */
  readonly args: string
}

/** The instructions of a Dockerfile by stage, without comments. Continued lines are joined. */
export const readStages = (path: string): ReadonlyArray<ReadonlyArray<Instruction>> => {
  const lines = readFileSync(path, "utf8").replaceAll(/^#.*\n/gmu, "").replaceAll(/\\\n\s*/gu, "").split("\n")
  const stages: Array<Array<Instruction>> = []
  for (const line of lines.filter((one) => one.trim() !== "")) {
    const [name = "", ...words] = line.split(" ")
    if (name === "FROM") stages.push([])
    stages.at(-1)?.push({ name, args: words.join(" ") })
  }
  return stages
}

/** The arguments of all instructions with that name. */
export const allOf = (stage: ReadonlyArray<Instruction>, name: string): ReadonlyArray<string> =>
  stage.filter((instruction) => instruction.name === name).map(({ args }) => args)

/** The settings of `ENV`. */
export const environmentOf = (stage: ReadonlyArray<Instruction>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    allOf(stage, "ENV").flatMap((args) => args.split(" ")).map((pair) => {
      const [name = "", ...value] = pair.split("=")
      return [name, value.join("=")]
    })
  )
