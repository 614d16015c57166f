/**
 * Fails on words that make a sentence unclear for readers whose first language is not English.
 */
import { fileURLToPath } from "node:url"
import { readTree, report } from "./tree.ts"
import { findWordProblems } from "./words/find-problems.ts"

const isProse = (path: string): boolean =>
  /\.([mc]?[jt]s|lua|md|ya?ml)$/u.test(path)
  && !/^infrastructure\/web\/languages\/(?!en\/)[a-z]+\//u.test(path)
  // The texts of the published OpenAPI document change with a version only. Tests of this check use its words.
  && !/^(test\/tools|tools\/words|infrastructure\/web\/api|application\/views)\/|^sdk\/client\/api\.ts$/u.test(path)
const tree = readTree(fileURLToPath(new URL("..", import.meta.url)), isProse)

report(findWordProblems(tree), `${tree.size} files name their actors`)
