import { parseAst } from "vitest/node"

/** One import, re-export, dynamic import, type import, or `new URL` of a file of code beside this one: a worker. */
export interface Import {
  readonly specifier: string
  /** Counts from 1. */
  readonly line: number
  /** Imported names; `*` for the whole module. */
  readonly names: ReadonlyArray<string>
}

/** Whether a path is that of a JavaScript or TypeScript file. */
export const isCode = (path: string): boolean => /\.[mc]?[jt]s$/u.test(path)

/** The imports of a file, in reading order. Throws when the file cannot be parsed. */
export const readImports = (path: string, source: string): ReadonlyArray<Import> => {
  const found: Array<Import> = []
  visit(parseAst(source, { lang: /\.[mc]?ts$/u.test(path) ? "ts" : "js" }), (node) => {
    const target = targetOf(node)
    const specifier = target?.["value"]
    if (target === undefined || typeof specifier !== "string") return
    if (node["type"] === "NewExpression" && !isCode(specifier)) return
    const line = source.slice(0, Number(target["start"])).split("\n").length
    found.push({ specifier, line, names: namesOf(node) })
  })
  return found
}

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

const nodes = (value: unknown): ReadonlyArray<Node> => Array.isArray(value) ? value.filter(isNode) : []

const visit = (value: unknown, enter: (node: Node) => void): void => {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, enter)
  } else if (isNode(value)) {
    enter(value)
    for (const key of Object.keys(value)) visit(value[key], enter)
  }
}

/** The node that holds the module's address. */
const targetOf = (node: Node): Node | undefined => {
  switch (node["type"]) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
    case "ImportExpression":
    case "TSImportType":
      return isNode(node["source"]) ? node["source"] : undefined
    case "NewExpression": {
      const [address, base] = nodes(node["arguments"])
      const isUrl = isNode(node["callee"]) && node["callee"]["name"] === "URL"
      return isUrl && isNode(base?.["object"]) && base["object"]["type"] === "MetaProperty" ? address : undefined
    }
    default:
      return undefined
  }
}

const namesOf = (node: Node): ReadonlyArray<string> => {
  switch (node["type"]) {
    case "ImportDeclaration":
      return nodes(node["specifiers"]).map((specifier) => nameOf(specifier["imported"]) ?? "*")
    case "ExportNamedDeclaration":
      return nodes(node["specifiers"]).map((specifier) => nameOf(specifier["local"]) ?? "*")
    default:
      return ["*"]
  }
}

const nameOf = (value: unknown): string | undefined => {
  const name = isNode(value) ? value["name"] ?? value["value"] : undefined
  return typeof name === "string" ? name : undefined
}
