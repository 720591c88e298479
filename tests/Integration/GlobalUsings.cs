global using Holdfast.Broker;
global using Holdfast.Tests.Servers;
global using Xunit;
