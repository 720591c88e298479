using System.Reflection;
using System.Reflection.Emit;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class ErrorTypesTests
{
    [Fact]
    public void Errors_are_told_apart_by_type_but_only_so_many_of_them()
    {
        var types = new ErrorTypes();
        var names = NewErrors(1_000).Select(types.Of).ToArray();

        Assert.Equal("Error0", names[0]);
        Assert.Equal(21, names.Distinct().Count());
        Assert.Equal("_OTHER", names[^1]);
        Assert.Equal("Error0", types.Of(NewErrors(1).Single()));
    }

    private static IEnumerable<Exception> NewErrors(int count)
    {
        var module = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("errors"), AssemblyBuilderAccess.RunAndCollect).DefineDynamicModule("errors");
        return Enumerable.Range(0, count).Select(i => (Exception)Activator.CreateInstance(module.DefineType($"Error{i}", TypeAttributes.Public, typeof(Exception)).CreateType())!);
    }
}
