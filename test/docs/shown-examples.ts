import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const docs = fileURLToPath(new URL("../../docs/", import.meta.url))

/** The text of a page. */
export const pageText = (page: string): string => readFileSync(join(docs, page), "utf8")

/** The code blocks of a page that follow a link to a file, by file name. */
export const shownIn = (text: string): ReadonlyMap<string, string> => {
  const shown = new Map<string, string>()
  const blocks = text.matchAll(/^\[`(examples\/[^`]+)`\]\(([^)]+)\)\n\n```\w+\n([^]*?)^```$/gmu)
  for (const [, name = "", link = "", code = ""] of blocks) {
    if (link !== name) throw new Error(`${name} links to ${link}`)
    shown.set(name, code)
  }
  return shown
}

/** The example files in a folder, by the names that a page uses. */
export const examplesIn = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(join(docs, folder), { recursive: true, encoding: "utf8" })
      .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
      .filter((path) => !path.includes("__pycache__") && statSync(join(docs, path)).isFile())
      .map((path) => [path, readFileSync(join(docs, path), "utf8")])
  )
