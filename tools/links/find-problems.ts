import { dirname, normalize } from "node:path/posix"
import type { Problem, Tree } from "../tree.ts"

/** Citations in comments, and relative links in Markdown, that name a file or a heading which does not exist. */
export const findLinkProblems = (tree: Tree): ReadonlyArray<Problem> => {
  const project: Project = { tree, folders: foldersOf(tree), headings: headingsIn(tree) }
  return [...tree].flatMap(([file, text]) => {
    if (file.endsWith(".md")) {
      const prose = withoutCode(text)
      return [...targetProblems(project, file, prose), ...citationProblems(project, file, text, withoutFences(text))]
    }
    if (!isSource(file)) return []
    const comments = flattened(onlyComments(text))
    return [...citationProblems(project, file, text, comments), ...sourceWordProblems(file, text, comments)]
  })
}

interface Project {
  readonly tree: Tree
  readonly folders: ReadonlySet<string>
  readonly headings: ReadonlyMap<string, Headings>
}

interface Headings {
  readonly texts: ReadonlySet<string>
  readonly anchors: ReadonlySet<string>
}

const isSource = (file: string): boolean => /\.([mc]?[jt]s|lua)$/u.test(file)

const foldersOf = (tree: Tree): ReadonlySet<string> => {
  const folders = new Set<string>([""])
  for (const file of tree.keys()) {
    for (let folder = dirname(file); folder !== "."; folder = dirname(folder)) folders.add(folder)
  }
  return folders
}

const headingsIn = (tree: Tree): ReadonlyMap<string, Headings> =>
  new Map([...tree].filter(([file]) => file.endsWith(".md")).map(([file, text]) => [file, headingsOf(text)]))

const headingsOf = (text: string): Headings => {
  const texts = new Set<string>()
  const anchors = new Set<string>()
  const counts = new Map<string, number>()
  for (const [, heading = ""] of withoutFences(text).matchAll(/^#{1,6} +(.+?) *$/gmu)) {
    const plain = plainText(heading)
    const anchor = anchorOf(plain)
    const count = counts.get(anchor) ?? 0
    counts.set(anchor, count + 1)
    texts.add(plain)
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`)
  }
  for (const [, id = ""] of text.matchAll(/<a (?:id|name)="([^"]+)"/gu)) anchors.add(id)
  return { texts, anchors }
}

/** A heading without its code marks, and of links only the text. */
const plainText = (heading: string): string => heading.replace(/\[([^\]]*)\]\([^)]*\)/gu, "$1").replaceAll("`", "")

/** The anchor that GitHub gives a heading. */
const anchorOf = (plain: string): string =>
  plain.toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "").replaceAll(" ", "-")

/** Replaces a text by spaces. Its length and its line breaks stay, so positions remain valid. */
const blank = (text: string): string => text.replace(/[^\n]/gu, " ")

const withoutFences = (text: string): string => text.replace(/^ *(```+|~~~+)[^\n]*\n[\s\S]*?^ *\1 *$/gmu, blank)

const withoutCode = (text: string): string => withoutFences(text).replace(/`[^`\n]+`/gu, blank)

/** The comments of a source file. A comment starts a line or follows white space; in Lua it begins with `--`. */
const onlyComments = (text: string): string => {
  let at = 0
  let comments = ""
  for (const match of text.matchAll(/(?<=^|\s)(?:\/\*[\s\S]*?\*\/|(?:\/\/|--) [^\n]*)/gu)) {
    comments += blank(text.slice(at, match.index)) + match[0]
    at = match.index + match[0].length
  }
  return comments
}

/** Joins the lines of each comment, without the marks at their start. */
const flattened = (comments: string): string =>
  comments.replace(/\n[ \t]*(?:\*(?!\/)|\/\/|--)?/gu, (start) => " ".repeat(start.length))

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length

const targetProblems = ({ folders, headings, tree }: Project, file: string, prose: string): ReadonlyArray<Problem> =>
  [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)|^\[[^\]]+\]: +(\S+)/gmu)].flatMap((match) => {
    const target = match[1] ?? match[2] ?? ""
    if (/^[a-z][a-z0-9+.-]*:|^\/\//iu.test(target)) return []
    const [path = "", anchor] = target.split("#", 2)
    const to = path === "" ? file : normalize(`${dirname(file)}/${decodeURI(path)}`).replace(/\/$/u, "")
    const problem = (reason: string) => [{ file, line: lineAt(prose, match.index), reason }]
    if (!tree.has(to) && !folders.has(to === "." ? "" : to)) return problem(`links to ${to}, which does not exist`)
    const known = headings.get(to)
    return anchor === undefined || known === undefined || known.anchors.has(anchor)
      ? []
      : problem(`links to #${anchor}, which ${to} does not have`)
  })

/** `docs/spec/http.md, "Charging", "Limits"`, and `decision 0012`. */
const CITATION = /\b(docs\/[\w./-]+\.md)((?:,? +(?:and +)?"[^"\n]+")*)|\bdecision +(\d{4})\b/giu

const citationProblems = (project: Project, file: string, text: string, cited: string): ReadonlyArray<Problem> =>
  [...(file.endsWith(".md") ? cited.replaceAll("\n", " ") : cited).matchAll(CITATION)].flatMap((match) =>
    missingTargets(project, match[1], match[2] ?? "", match[3]).map((reason) => ({
      file,
      line: lineAt(text, match.index),
      reason
    }))
  )

const missingTargets = (
  { headings, tree }: Project,
  cited: string | undefined,
  quoted: string,
  decision: string | undefined
): ReadonlyArray<string> => {
  if (cited === undefined) {
    const isKnown = [...tree.keys()].some((path) => path.startsWith(`docs/decisions/${decision}-`))
    return isKnown ? [] : [`cites decision ${decision}, which does not exist`]
  }
  if (!tree.has(cited)) return [`cites ${cited}, which does not exist`]
  return [...quoted.matchAll(/"([^"]+)"/gu)]
    .map(([, heading = ""]) => plainText(heading.replace(/\s+/gu, " ")))
    .filter((heading) => !(headings.get(cited)?.texts.has(heading) ?? false))
    .map((heading) => `cites "${heading}", a heading that ${cited} does not have`)
}

const sourceWordProblems = (file: string, text: string, comments: string): ReadonlyArray<Problem> =>
  [...comments.matchAll(
    /\((?:\w+ )?(?:contract|specification)[,:]|\b(?:contract|specification): |"\w+" of the (?:contract|specification)/giu
  )]
    .map(({ index }) => ({
      file,
      line: lineAt(text, index),
      reason: "cites a document that is not in the repository: cite a heading in docs/"
    }))
