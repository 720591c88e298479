using System.Net.Http.Json;
using System.Text.Json;

namespace Holdfast.Tests.Servers;

/// <summary>Asks servers that answer in JSON.</summary>
internal static class JsonAnswers
{
    public static async Task<JsonElement> JsonAsync(this HttpClient http, string path)
    {
        using var answer = await http.GetAsync(path);
        return answer.IsSuccessStatusCode
            ? await answer.Content.ReadFromJsonAsync<JsonElement>()
            : throw new HttpRequestException($"{http.BaseAddress}{path}: {(int)answer.StatusCode} {await answer.Content.ReadAsStringAsync()}");
    }
}
