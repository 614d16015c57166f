import { readFileSync, writeFileSync } from "node:fs"
import type { Task } from "../../test/e2e/pages/tasks.ts"
import { fileOf, sections } from "./pictures.ts"

const page = new URL("../../docs/pages.md", import.meta.url)

/** The text between two comments of `docs/pages.md` is generated. */
const replaced = (text: string, name: string, generated: string): string => {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const [before, rest] = [text.slice(0, text.indexOf(begin)), text.slice(text.indexOf(end))]
  return `${before}${begin}\n\n${generated}\n\n${rest}`
}

const gallery = (): string =>
  Object.entries(sections).map(([title, pictures]) => {
    const shown = pictures.map(({ caption, page, window }) =>
      `**${caption}** (${window.replaceAll("-", ", ")})\n\n![${caption}](images/pages/${fileOf(page, window)})`
    )
    return [`## ${title}`, ...shown].join("\n\n")
  }).join("\n\n")

const secondsOf = (seconds: number): string => seconds.toFixed(1)

const timesOf = (tasks: ReadonlyArray<Task>): string =>
  tasks.map(({ steps, title }) => {
    const total = steps.reduce((sum, { page, person }) => sum + page + person, 0)
    const rows = steps.map(({ page, person, text }) => `| ${text} | ${secondsOf(person)} | ${secondsOf(page)} |`)
    return [`### ${title}: ${secondsOf(total)} seconds\n`, "| Step | Person | Page |", "|---|--:|--:|", ...rows].join(
      "\n"
    )
  }).join("\n\n")

/** Writes the pictures and the times of the tasks into `docs/pages.md`. */
export const writePage = (tasks: ReadonlyArray<Task>): void => {
  const text = readFileSync(page, "utf8")
  writeFileSync(page, replaced(replaced(text, "tasks", timesOf(tasks)), "pictures", gallery()))
}
