/**
 * Fails on citations in comments and on links in Markdown that name a file or a heading which does not exist.
 */
import { fileURLToPath } from "node:url"
import { judgeLinks } from "./links/judge.ts"
import { readTree, report } from "./tree.ts"

const tree = readTree(fileURLToPath(new URL("..", import.meta.url)), () => true)

report(judgeLinks(tree), `links and citations of ${tree.size} files resolve`)
