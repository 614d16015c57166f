/**
 * Fails on citations in comments and on links in Markdown that name a file or a heading which does not exist.
 */
import { fileURLToPath } from "node:url"
import { findLinkProblems } from "./links/find-problems.ts"
import { readTree, report } from "./tree.ts"

const tree = readTree(fileURLToPath(new URL("..", import.meta.url)), () => true)

report(findLinkProblems(tree), `links and citations of ${tree.size} files resolve`)
