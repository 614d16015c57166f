/**
 * Fails on files that are too long, on index files, on decisions without their parts, and on download addresses in committed files.
 */
import { fileURLToPath } from "node:url"
import { findFileProblems } from "./files/find-problems.ts"
import { readTree, report } from "./tree.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const isText = (path: string): boolean =>
  /\.([mc]?[jt]s|css|html|sh|json|lock|md|ya?ml|toml)$/u.test(path)
  || /(^|\/)(\.npmrc|\.ci\/[^/]+|Dockerfile)$/u.test(path)
const tree = readTree(root, isText)

report(findFileProblems(tree), `${tree.size} files are short and free of download addresses`)
