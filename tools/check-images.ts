/**
 * Fails when the Dockerfile or compose.yaml names an image of a registry without its digest (RELEASING.md).
 */
import { fileURLToPath } from "node:url"
import { findUnpinnedImages } from "./files/find-unpinned-images.ts"
import { readTree, report } from "./tree.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const tree = readTree(root, (path) => path === "Dockerfile" || path === "compose.yaml")

report(findUnpinnedImages(tree), `the images of ${tree.size} files have digests`)
