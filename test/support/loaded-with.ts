import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = new URL("../../", import.meta.url)

/** The files of the project that static imports of these files load. Paths are relative to the project's root. */
export const loadedWith = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const loaded = new Set<string>()
  const load = (url: URL): void => {
    if (loaded.has(url.href) || !existsSync(url)) return
    loaded.add(url.href)
    for (
      const [, specifier = ""] of readFileSync(url, "utf8").matchAll(/^(?:im|ex)port (?!type )[^"]*"(\.[^"]+\.ts)"/gmu)
    ) {
      load(new URL(specifier, url))
    }
  }
  for (const path of paths) load(new URL(path, root))
  return [...loaded].map((href) => fileURLToPath(href).slice(fileURLToPath(root).length))
}

/** The files that are loaded when the service starts. */
export const loadedAtStart = () =>
  loadedWith(["infrastructure/main.ts", "infrastructure/commands/cli/serve.ts", "infrastructure/runtime/service.ts"])
