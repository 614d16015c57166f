/**
 * Fails when an import points outward. The rules are the table in `imports/rules.ts`.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { stabilityFrom } from "./imports/effect-stability.ts"
import { findImportProblems } from "./imports/find-problems.ts"
import { isCode } from "./imports/read-imports.ts"
import { readTree, report } from "./tree.ts"

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const root = fileURLToPath(new URL("..", import.meta.url))
const manifest: Manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
const tree = readTree(root, isCode)
const problems = findImportProblems(tree, {
  name: manifest.name,
  stabilityOf: stabilityFrom(`${root}node_modules/effect`),
  dependencies: new Set(Object.keys(manifest.dependencies ?? {})),
  devDependencies: new Set(Object.keys(manifest.devDependencies ?? {}))
})

report(problems, `imports of ${tree.size} files point inward`)
