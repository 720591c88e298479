namespace Holdfast.Worker.Management;

/// <summary>Maps what is looked at: by GET, and by HEAD, with which load balancers and monitors like to ask whether it is there.</summary>
internal static class Looking
{
    private static readonly string[] s_methods = [HttpMethods.Get, HttpMethods.Head];

    public static IEndpointConventionBuilder MapLook(this IEndpointRouteBuilder endpoints, string path, RequestDelegate answer)
    {
        var patience = endpoints.ServiceProvider.GetRequiredService<Patience>();
        return endpoints.MapMethods(path, s_methods, context => patience.AnswerAsync(context, answer));
    }
}
