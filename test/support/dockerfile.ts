import { readFileSync } from "node:fs"

export interface Instruction {
  /** `FROM`, `COPY`, … */
  readonly name: string
  /** What stands behind it, on one line. */
  readonly rest: string
}

/** The instructions of a Dockerfile, stage by stage; comments are left out, continued lines are one. */
export const readStages = (path: string): ReadonlyArray<ReadonlyArray<Instruction>> => {
  const lines = readFileSync(path, "utf8").replaceAll(/^#.*\n/gmu, "").replaceAll(/\\\n\s*/gu, "").split("\n")
  const stages: Array<Array<Instruction>> = []
  for (const line of lines.filter((one) => one.trim() !== "")) {
    const [name = "", ...words] = line.split(" ")
    if (name === "FROM") stages.push([])
    stages.at(-1)?.push({ name, rest: words.join(" ") })
  }
  return stages
}

/** What stands behind all instructions of that name. */
export const allOf = (stage: ReadonlyArray<Instruction>, name: string): ReadonlyArray<string> =>
  stage.filter((instruction) => instruction.name === name).map(({ rest }) => rest)

/** The settings of `ENV`. */
export const environmentOf = (stage: ReadonlyArray<Instruction>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    allOf(stage, "ENV").flatMap((rest) => rest.split(" ")).map((pair) => {
      const [name = "", ...value] = pair.split("=")
      return [name, value.join("=")]
    })
  )
