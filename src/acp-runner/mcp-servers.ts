import type { McpServer } from "@agentclientprotocol/sdk";
import type { ProcessEnvironment } from "../source/process-environment.ts";
import { httpLaunch, processLaunch } from "../extension/launch-config.ts";
import { describeLeftOut } from "../extension/left-out.ts";
import type { ExtensionConfig } from "../run/extension-config.ts";

/** The MCP servers for an agent, with warnings about omitted ones. */
export interface McpServerOffer {
  servers: McpServer[];
  warnings: string[];
}

/**
 * Converts the extensions of a run to the protocol's form. Omits an extension with limited tools, because the
 * agent starts the server itself and would have all its tools.
 *
 * @throws CadreError `tool-unavailable` for an unset variable, unless the extension is optional.
 */
export function toMcpServers(
  configs: readonly ExtensionConfig[],
  environment: ProcessEnvironment,
  takesHttp: boolean,
): McpServerOffer {
  const warnings: string[] = [];
  const toServers = (config: ExtensionConfig): McpServer[] => {
    const { name, allow, deny } = config;
    if (allow !== undefined || deny !== undefined) {
      warnings.push(
        `The runner did not get the extension ${name}: its limits on tools (allow, deny) cannot be enforced there.`,
      );
      return [];
    }
    if (config.type === "stdio") {
      const { command, args, environment: variables } = processLaunch(config, environment);
      const env = Object.entries(variables).map(([key, value]) => ({ name: key, value }));
      return [{ name, command, args: [...args], env }];
    }
    if (!takesHttp) {
      warnings.push(
        `The runner did not get the extension ${name}: it does not support servers over HTTP.`,
      );
      return [];
    }
    const { url, headers } = httpLaunch(config, environment);
    const pairs = [...headers].map(([key, value]) => ({ name: key, value }));
    return [{ type: "http", name, url: url.href, headers: pairs }];
  };
  const servers = configs.flatMap((config) => {
    try {
      return toServers(config);
    } catch (error) {
      warnings.push(describeLeftOut(config, error));
      return [];
    }
  });
  return { servers, warnings };
}
