import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { everySetting } from "../infrastructure/platform/settings/settings.ts"
import { isCode, readImports } from "../tools/imports/read-imports.ts"
import { allOf, environmentOf, readStages } from "./support/dockerfile.ts"
import { layerRunningService, RunningService } from "./support/service.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const [packages = [], documentation = [], image = []] = readStages(`${root}Dockerfile`)
const environment = environmentOf(image)

/** The files and folders of the repository that a stage contains. */
const copiedBy = (stage: typeof image): ReadonlyArray<string> =>
  allOf(stage, "COPY").filter((line) => !line.startsWith("--from=")).flatMap((line) => line.split(" ").slice(0, -1))

/** The paths of files that a source file refers to by URL, such as pictures and package.json. */
const urlPaths = (source: string): ReadonlyArray<string> =>
  Array.from(source.matchAll(/new URL\("(\.[^"]+)", import\.meta\.url\)/gu), ([, path = ""]) => path)

/** Rendered by the stage of the documentation, or by the service where the files of that stage are missing. */
const RENDERER = "tools/docs-site/render-thread.ts"

/** All files that a file imports or refers to. */
const usedBy = (entry: string): ReadonlySet<string> => {
  const found = new Set<string>()
  const open = [entry]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    // Packages are copied from the stage that installs them.
    if (found.has(file) || file.startsWith("node_modules/") || file === RENDERER) continue
    found.add(file)
    if (!isCode(file)) continue
    const source = readFileSync(root + file, "utf8")
    const specifiers = readImports(file, source).map(({ specifier }) => specifier).filter((one) => one.startsWith("."))
    for (const path of [...specifiers, ...urlPaths(source)]) open.push(posix.join(posix.dirname(file), path))
  }
  return found
}

/** Runs the image's health check against a port, on the runtime that runs the test. */
const checkHealth = (port: string) =>
  Effect.promise(async () => {
    const [, command = ""] = /CMD (\[.*\])$/u.exec(allOf(image, "HEALTHCHECK")[0] ?? "") ?? []
    const [node, flag, code = ""]: ReadonlyArray<string> = JSON.parse(command)
    assert.deepStrictEqual([node, flag], ["node", "-e"])
    const child = spawn(process.execPath, ["Deno" in globalThis ? "eval" : "-e", code], {
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], PORT: port },
      stdio: "ignore"
    })
    const [exitCode] = await once(child, "close")
    return exitCode
  })

describe("Dockerfile", () => {
  it("copies every file that the service imports", () => {
    const missingIn = (stage: typeof image, entry: string) => {
      const files = [...usedBy(entry)]
      assert.isAbove(files.length, 100)
      return files.filter((file) => !copiedBy(stage).some((path) => file === path || file.startsWith(`${path}/`)))
    }
    assert.deepStrictEqual(missingIn(image, "infrastructure/main.ts"), [])
    const [, main = ""] = /^node (\S+) rendered$/u.exec(allOf(documentation, "RUN")[0] ?? "") ?? []
    const ofPackages = [...copiedBy(packages)]
    assert.deepStrictEqual(missingIn(documentation, main).filter((file) => !ofPackages.includes(file)), [])
    assert.include(allOf(image, "COPY"), "--from=documentation /app/rendered infrastructure/web/docs/rendered")
  })

  it("copies only existing files that .dockerignore allows", () => {
    const [first, ...allowed] = readFileSync(`${root}.dockerignore`, "utf8").split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
    assert.strictEqual(first, "*")
    const copiedPaths = [packages, documentation, image].flatMap(copiedBy)
    assert.sameMembers([...new Set(copiedPaths)], allowed.map((line) => line.replace("!", "")))
    for (const path of copiedPaths) assert.isTrue(existsSync(root + path), path)
  })

  it("installs no development packages and no Node packages", () => {
    const [install = ""] = allOf(packages, "RUN")
    assert.include(install, "npm ci --omit=dev")
    const { optionalDependencies }: { readonly optionalDependencies: Readonly<Record<string, string>> } = JSON.parse(
      readFileSync(`${root}package.json`, "utf8")
    )
    for (const name of Object.keys(optionalDependencies)) assert.match(name, /^node-linux-/u)
    assert.include(install, "rm -rf node_modules/node-linux-*")
  })

  it("starts as npm start does", () => {
    const { scripts }: { readonly scripts: { readonly start: string } } = JSON.parse(
      readFileSync(`${root}package.json`, "utf8")
    )
    const words = ["ENTRYPOINT", "CMD"].flatMap((name): ReadonlyArray<string> =>
      JSON.parse(allOf(image, name)[0] ?? "")
    )
    assert.strictEqual(words.join(" "), scripts.start)
  })

  it("sets known settings only, and listens on all addresses", () => {
    const known = new Set<string>(everySetting.map(({ name }) => name))
    const ofRuntime = new Set(["NODE_ENV"])
    assert.deepStrictEqual(Object.keys(environment).filter((name) => !known.has(name) && !ofRuntime.has(name)), [])
    assert.strictEqual(environment["HOST"], "0.0.0.0")
    assert.deepStrictEqual(allOf(image, "EXPOSE"), [environment["PORT"] ?? ""])
    assert.deepStrictEqual(allOf(image, "VOLUME"), [environment["DATA_DIR"] ?? ""])
  })

  it("runs as a non-root user on the Node of package.json, and stops on SIGTERM", () => {
    assert.match(allOf(image, "USER").at(-1) ?? "", /^[1-9]\d*:[1-9]\d*$/u)
    for (const stage of [packages, image]) assert.match(allOf(stage, "FROM")[0] ?? "", /^node:24-bookworm-slim\b/u)
    assert.deepStrictEqual(allOf(image, "STOPSIGNAL"), ["SIGTERM"])
  })

  it.live("has a health check that distinguishes a running service from a stopped one", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* RunningService
      assert.strictEqual(yield* checkHealth(new URL(baseUrl).port), 0)
      assert.strictEqual(yield* checkHealth("1"), 1)
    }).pipe(Effect.provide(layerRunningService())))
})
