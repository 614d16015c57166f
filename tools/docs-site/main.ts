/** Renders the documentation into a folder: `node tools/docs-site/main.ts FOLDER`. The image of the service has it. */
import { writeSites } from "./render.ts"

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error("Name the folder: node tools/docs-site/main.ts FOLDER")
process.stdout.write(`${writeSites(folder)} files in ${folder}\n`)
